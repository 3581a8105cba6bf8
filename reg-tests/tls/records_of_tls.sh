#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A record that TLS sends for itself (KeyUpdate) on a kept connection is no request: no stream
# begins, none is logged, and timeout http-keep-alive goes on from where it was.
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"

authority ca
signed site ca localhost
config <<END
defaults
	mode http
	log stderr local0
	log-format "logged %HP"
	timeout client 1h
	timeout http-request 1h
	timeout http-keep-alive 2s
frontend f
	bind $front ssl crt $certs/site.pem alpn http/1.1
	http-request return status 200 content-type text/plain string "said"
END
start_penstock
mkfifo "$dir/keys"
openssl s_client -connect "$front" -tls1_3 -no_ign_eof <"$dir/keys" >"$dir/said" 2>&1 &
client=$!
children="$children $client"
exec 3>"$dir/keys"
answered() { test "$(grep -c '^said' "$dir/said")" -ge "$1"; }
asks() { printf 'GET /%s HTTP/1.1\r\nHost: x\r\n\r\n' "$1" >&3; }
updated() { test "$(grep -c 'KEYUPDATE' "$dir/said")" -ge "$1"; }

asks 1
check "a request" until_true 60 answered 1
printf 'K\n' >&3
check "the client renews its keys" until_true 60 updated 1
asks 2
check "a request with the new keys" until_true 60 answered 2
printf 'k\n' >&3
check "it renews them once more, and is silent" until_true 60 updated 2
gone() { ! kill -0 "$client" 2>/dev/null; }
check "timeout http-keep-alive ends it" until_true 60 gone
wait "$client" 2>/dev/null
check "two are logged" test "$(grep -c "logged /" "$log")" = 2
finish
