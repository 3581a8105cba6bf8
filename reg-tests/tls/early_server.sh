#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Early data to servers (allow-0rtt of server lines): if the client's request came early, or with
# "retry-on 0rtt-rejected". What the server refuses is sent behind the handshake, once; nothing is
# lost or doubled.
. "${0%/*}/../lib.sh"
. "${0%/*}/early.sh"

for name in asked told plain never once tcp off named unrepeated smaller; do
	eval "$name=127.0.0.1:\$(ports 1)"
done
words="$back ssl verify none"
config <<END
	log $dir/log.sock local0
defaults d
	mode http
	timeout connect 1m
	timeout client 2m
	timeout server 2m
	http-reuse never
frontend asked
	bind $asked
	default_backend safe
frontend told
	bind $told ssl crt $dir/pem allow-0rtt
	default_backend told
frontend plain
	bind $plain
	default_backend told
frontend never
	bind $never
	default_backend never
frontend once
	bind $once
	default_backend once
frontend off
	bind $off
	default_backend off
frontend named
	bind $named ssl crt $dir/pem allow-0rtt
	default_backend named
frontend unrepeated
	bind $unrepeated ssl crt $dir/pem allow-0rtt
	http-request disable-l7-retry
	default_backend unrepeated
frontend smaller
	bind $smaller
	default_backend smaller
frontend tcp
	mode tcp
	bind $tcp ssl crt $dir/pem allow-0rtt
	default_backend tcp
backend safe
	retry-on conn-failure 0rtt-rejected
	server s1 $words allow-0rtt
backend told
	server s1 $words allow-0rtt
backend never
	retry-on 0rtt-rejected
	retries 0
	server s1 $words allow-0rtt
backend once
	retry-on all-retryable-errors
	server s1 $words allow-0rtt
backend off
	retry-on 0rtt-rejected
	server s1 $words
backend named
	http-send-name-header X-Srv
	server s1 $words allow-0rtt
backend unrepeated
	retry-on conn-failure 0rtt-rejected
	server s1 $words allow-0rtt
backend smaller
	retry-on 0rtt-rejected
	compression algo gzip
	compression type text/plain
	compression offload
	server s1 $words allow-0rtt
backend tcp
	mode tcp
	server s1 $words allow-0rtt
END
server=$back
start_penstock
early_test "$server" "$asked" "$told" "$plain" "$never" "$once" "$tcp" "$off" \
	"$named" "$unrepeated" "$smaller"
finish
