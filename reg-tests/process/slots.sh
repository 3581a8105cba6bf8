#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The slots of a server are those of four workers together: maxconn, maxqueue, and the order of
# those who wait.
. "${0%/*}/../lib.sh"

few=127.0.0.1:$(ports 1)
config <<END
	nbproc 4
$(http_defaults)
	timeout queue 2m
	option http-server-close
frontend fe
	bind $front
	default_backend be
frontend few
	bind $few
	default_backend few
backend be
	server s1 $back maxconn 2
backend few
	balance leastconn
	server s1 $back maxconn 2 maxqueue 3
END
start_workers
driver "${0%/*}/slots.py" --few "$few" || failures=1
finish
