#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Behind "set server addr" no request goes to the old address or port, whatever waits there:
# connections that all share, with each word of http-reuse, of HTTP/1 and HTTP/2, those of one
# client, and those that were in use meanwhile. Those that all share are closed at once, and nothing
# keeps the old place busy. In all workers.
. "${0%/*}/../lib.sh"

old=$back
new=127.0.0.2:$(ports 1)
{
	printf '\tnbproc 2\n'
	http_defaults
	cat <<-END
	defaults
		mode http
		timeout client 2m
		timeout server 2m
		timeout connect 30s
	frontend old
		bind $old
		http-request wait-for-body time 2m if METH_POST
		http-request return status 200 content-type text/plain string old
	frontend new
		bind $new
		http-request wait-for-body time 2m if METH_POST
		http-request return status 200 content-type text/plain string new
	frontend fe
		bind $front
		use_backend %[path,field(2,/)]
	END
	for reuse in never safe aggressive always; do
		printf 'backend %s\n\thttp-reuse %s\n\tserver s %s pool-purge-delay 2m pool-low-conn 100\n' $reuse $reuse "$old"
	done
	printf 'backend h2\n\thttp-reuse always\n\tserver s %s proto h2 pool-purge-delay 2m\n' "$old"
} | config
start_workers
driver "${0%.sh}.py" --new "$new" || failures=1
[ "$failures" -eq 0 ] || tail -n 40 "$log"
finish
