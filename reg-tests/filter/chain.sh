#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A chain of filters in either order, with TLS on both ends: every kind of response arrives whole,
# on one connection, also behind retries and on another server; a transfer goes on with its own
# filters when a reload brings others.
. "${0%/*}/../lib.sh"
. "${0%/*}/../tls/certs.sh"
"$PENSTOCK" -vv | grep -q '+ZLIB' || { say "this build has no zlib"; exit 77; }

authority ca
signed site ca www.example.com
last=127.0.0.1:$(ports 1)
nobody=127.0.0.1:$(ports 1)

# service FILTERS-OF-first FILTERS-OF-last
service() {
	config <<-END
	defaults
		mode http
		timeout connect 1m
		timeout client 2m
		timeout server 2m
		retries 3
		option redispatch 1
		retry-on 503 empty-response conn-failure
	listen first
		bind $front ssl crt $certs/site.pem
		$1
		http-request set-bandwidth-limit out limit 50k if { path_beg /slow }
		http-request set-bandwidth-limit in if METH_POST
		server s $back ssl verify none
		server none $nobody
	listen last
		bind $last ssl crt $certs/site.pem
		$2
		http-request set-bandwidth-limit out
		http-request set-bandwidth-limit in
		server none $nobody
		server s $back ssl verify none
	END
}
limits='filter bwlim-out out default-limit 20m default-period 1s
		filter bwlim-in in default-limit 20m default-period 1s'
traced='filter trace quiet random-forwarding'
packed='filter compression
		compression algo gzip
		compression type text/plain'

# The next configuration: nothing is compressed by the first one, and the last one goes the other
# way.
service "$limits" "$traced
		$limits
		$packed"
mv "$dir/cfg" "$dir/next"
service "$traced
		$packed
		$traced name behind
		$limits" "$limits
		$packed
		$traced"
start_workers
driver "${0%.sh}.py" --last "$last" --pem "$certs/site.pem" --next "$dir/next" || failures=1
stop_penstock
finish
