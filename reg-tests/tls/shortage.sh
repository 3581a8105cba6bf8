#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# No memory for a while (neither by malloc nor by mmap, from which OpenSSL's comes), or no
# descriptors: TLS connections fail or wait, the process goes on, and when there is enough again
# everything works. A handshake that comes byte by byte has the time of one handshake, not of its
# bytes.
# Limit: 120 s
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"
command -v python3 >/dev/null || exit 77

authority ca
signed site ca www.example.com
signed rsa ca www.example.com rsa
raw=127.0.0.1:$(ports 1)
short=127.0.0.1:$(ports 1)
serve() {
	config <<END
	ssl-default-bind-options no-tls-tickets
	log ring@lines format raw local0
ring lines
	format raw
	size 100000
defaults d
	mode http
	log global
	timeout client 1m
	timeout connect 1m
	timeout server 1m
frontend f
	bind $front ssl crt $certs/site.pem crt $certs/rsa.pem
	http-request return status 200
listen t
	mode tcp
	bind $raw ssl crt $certs/site.pem
	server s $back ssl verify none
frontend o
	bind $back ssl crt $certs/rsa.pem
	http-request return status 200
frontend s
	timeout client 3s
	bind $short ssl crt $certs/site.pem
	http-request return status 200
END
	start_penstock
}
judge() {
	check "$1" timeout 300 python3 "${0%.sh}.py" "$1" "$front" "$raw" "$short" "$certs/ca.pem" "$tool" "$stats" "$pid" \
		"$dir/now"
}

serve
judge descriptors
judge trickle
ask "show events lines" >"$dir/lines"
check "the log says so" grep -q " s/1: Timeout during SSL handshake" "$dir/lines"
stop_penstock
if sanitized; then
	say "skipped: no memory (a sanitizer brings its own)"
else
	for rules in "memory=ENOMEM mmap=ENOMEM" "mmap=ENOMEM" "mmap=ENOMEM%2 memory=ENOMEM%3"; do
		say "## $rules"
		SHIM=$rules shim_while=$dir/now
		serve
		judge memory
		acted "${rules%% *}"
		stop_penstock
	done
fi
[ "$failures" -eq 0 ] || tail -n 20 "$dir/lines"
finish
