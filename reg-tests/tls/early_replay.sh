#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Early data that somebody has recorded are acted upon once, whichever of four workers hears them,
# in which order, all at once, and behind a reload; with tickets, keys of a file and the cache.
. "${0%/*}/../lib.sh"
. "${0%/*}/early.sh"

file=127.0.0.1:$(ports 1)
cache=127.0.0.1:$(ports 1)
for i in 1 2 3; do openssl rand -base64 80 | tr -d '\n'; echo; done >"$dir/keys"
config <<END
	nbproc 4
	tune.ssl.lifetime 1h
defaults d
	mode http
	timeout connect 1m
	timeout client 2m
	timeout server 2m
	default_backend be
frontend tickets
	bind $front ssl crt $dir/pem allow-0rtt
frontend file
	bind $file ssl crt $dir/pem allow-0rtt tls-ticket-keys $dir/keys
frontend cache
	bind $cache ssl crt $dir/pem allow-0rtt no-tls-tickets
backend be
	server s1 $origin
END
start_workers
early_test "$front" "$file" "$cache" "$parent"
finish
