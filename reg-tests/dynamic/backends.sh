#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Backends that are added while four workers serve: all have them, replaced workers too; rules
# choose them once they are published, and they go when nothing has them. backends.py has the
# claims.
. "${0%/*}/../lib.sh"

http_config "nbproc 4" <<END
defaults web
	mode http
	timeout connect 30s
	timeout server 2m
	default-server inter 50ms
	option httpchk GET /health
defaults ruled
	mode http
	timeout connect 30s
	timeout server 2m
	balance leastconn
	http-request set-header x-ruled yes
	http-response set-header x-answered ruled
	compression algo gzip
defaults bytes
	mode tcp
	timeout connect 30s
	timeout server 2m
defaults modeless
	timeout connect 30s
	timeout server 2m
defaults twice
	mode http
defaults twice
	mode http
frontend fe
	mode http
	timeout client 2m
	bind $front
	http-request use-service prometheus-exporter if { path /metrics }
	stats enable
	stats uri /page
	http-request set-var(txn.b) path,field(2,/)
	use_backend %[path,field(3,/)] if { path_beg /second/ }
	use_backend %[var(txn.b),map($dir/names.map)] if { path_beg /mapped }
	use_backend %[var(txn.b)] if !{ path_beg /fixed }
	use_backend named if { path_beg /fixed }
	default_backend fallback
listen both
	mode http
	timeout client 2m
	timeout connect 30s
	timeout server 2m
	bind 127.0.0.1:$(ports 1)
backend named from web
	server s $back
backend fallback from web
	http-request return status 404
backend table from web
	stick-table type string size 100
backend idle from web
	balance leastconn
backend asked from web
backend asks from web
	http-request set-header x-n %[nbsrv(asked)]
	server s $back
END
: >"$dir/names.map"
start_workers
driver "${0%/*}/backends.py" || failures=1
[ "$failures" -eq 0 ] || tail -n 40 "$log"
finish
