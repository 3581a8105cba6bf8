#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Four workers are one service: one set of numbers, one order of changes, one check a server; also
# when one of them is killed.
. "${0%/*}/../lib.sh"

checked=127.0.0.1:$(ports 1)
other=127.0.0.1:$(ports 1)
echo "first one" >"$dir/map"
echo "another" >"$dir/acl"
config <<END
	nbproc 4
	stats maxconn 1000
$(http_defaults)
frontend fe
	bind $front
	http-request set-map($dir/map) key value if { path /learn }
	http-request add-acl($dir/acl) word if { path /learn }
	http-request return status 204 if { path /listed } { str(word) -f $dir/acl }
	http-request return status 404 if { path /listed }
	http-request return status 204 if { str(key),map($dir/map) -m found } { path /known }
	http-request return status 404 if { path /known }
	http-request return status 200 content-type text/plain lf-string "%[uuid] %[rand(2000000000)]" if { path /chance }
	default_backend be
frontend other
	bind $other
	stats enable
	stats uri /stats
	http-request use-service prometheus-exporter if { path /metrics }
	default_backend be
backend be
	option httpchk
	server s1 $back
	server s2 $checked check inter 200ms rise 1 fall 1 backup
END
start_workers
driver "${0%/*}/one_service.py" --checked "$checked" --other "$other" || failures=1
finish
