#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# h2spec, the conformance test of HTTP/2 and HPACK: each case of generic, http2 and hpack passes in
# strict mode, in clear and by TLS. It is a program in Go (go install
# github.com/summerwind/h2spec/cmd/h2spec@v2.2.1+incompatible); H2SPEC names it where it is not in
# the path.
. "${0%/*}/../lib.sh"
. "${0%/*}/../tls/certs.sh"
: "${H2SPEC:=$(command -v h2spec)}"
[ -x "$H2SPEC" ] || { say "needs h2spec"; exit 77; }
"$H2SPEC" --help >/dev/null 2>&1 || { say "h2spec does not run"; exit 77; }

authority ca
signed site ca www.example.com
tls=127.0.0.1:$(ports 1)
config <<END
defaults
	mode http
	timeout connect 30s
	timeout client 2m
	timeout server 2m
frontend fe
	bind $front proto h2
	bind $tls ssl crt $certs/site.pem alpn h2
	option http-buffer-request
	http-request return status 200 content-type text/plain string hello
END
start_penstock

# judge WHAT ADDRESS OPTIONS...
judge() {
	what=$1 port=${2##*:}
	shift 2
	"$H2SPEC" generic http2 hpack -S -h 127.0.0.1 -p "$port" -o 60 "$@" >"$dir/said" 2>&1
	status=$?
	grep -v '✔' "$dir/said" | grep -B 3 -A 12 '×' | head -n 200
	cases=$(sed -n 's/^\([0-9]*\) tests, \(.*\)$/\1 \2/p' "$dir/said" | tail -n 1)
	check "$what: $cases" sh -c "[ $status -eq 0 ] && echo '$cases' | grep -qE '^14[0-9] 14[0-9] passed, 0 skipped, 0 failed'"
}
judge "in clear" "$front"
judge "by TLS" "$tls" -t -k
finish
