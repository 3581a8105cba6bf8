#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Servers that are added while four workers serve: all have them, replaced workers too; they take
# requests, keep the order of their life, and go when nothing has them. servers.py has the claims.
. "${0%/*}/../lib.sh"

http_config "nbproc 4" <<END
defaults checked
	mode http
	timeout connect 30s
	timeout server 2m
	default-server weight 9 inter 50ms
frontend fe
	bind $front
	use_backend %[path,field(2,/)]
backend be
	http-reuse always
	default-server weight 7
	cookie S insert
	server fixed $back disabled maxconn 5
	server tracked $back check inter 50ms
	use-server named if { src 192.0.2.1 }
	server named $back disabled
backend table
	stick-table type string size 100 expire 1h
	stick on url_param(k)
	server fixed $back disabled
backend ring
	balance uri
	hash-type consistent
backend lots
	balance random
backend least
	balance leastconn
backend static
	balance static-rr
	server s1 $back
END
start_workers
driver "${0%/*}/servers.py" || failures=1
[ "$failures" -eq 0 ] || tail -n 40 "$log"
finish
