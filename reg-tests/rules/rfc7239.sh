#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# option forwarded tells the server what it does with HAProxy 2.8, which is asked, too, where it is
# at hand ($HAPROXY28).
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || exit 77
here=$(cd "$srcdir/reg-tests/rules" && pwd)
check "as HAProxy 2.8" python3 "$here/rfc7239.py" check "$PENSTOCK" "$here/rfc7239.txt"
if [ -x "${HAPROXY28:-}" ]; then
	check "HAProxy 2.8 itself" python3 "$here/rfc7239.py" check "$HAPROXY28" "$here/rfc7239.txt"
fi

# says TEXT DEFAULTS FRONTEND BACKEND: the configuration is taken, and that is said of it.
says() {
	{
		http_defaults
		printf '%b\nfrontend f\n\tbind 127.0.0.1:1\n%b\n\tdefault_backend b\n' "$2" "$3"
		printf 'backend b\n%b\n\tserver s 127.0.0.1:2\n' "$4"
	} >"$dir/c.cfg"
	"$PENSTOCK" -c -f "$dir/c.cfg" >"$dir/said" 2>&1 && grep -q "$1" "$dir/said"
}
# tells WANTED DEFAULTS FRONTEND BACKEND: what the server would get.
tells() {
	says valid "$2" "$3" "$4"
	"$PENSTOCK" explain -f "$dir/c.cfg" --from 192.0.2.7 'GET http://h.example/' >"$dir/said" 2>&1
	grep -q "forwarded: $1" "$dir/said" || { cat "$dir/said"; return 1; }
}
check "a frontend warns" says "ignored in a frontend" '' '\toption forwarded' ''
check "a port without its node warns" says "'by_port' is ignored" '' '' '\toption forwarded for by_port'
check "defaults tell nobody" says valid '\toption forwarded' '' ''
check "explain tells it" tells 'proto=http;for=192.0.2.7' '' '' '\toption forwarded'
check "backends inherit it" tells 'host="h.example"' '\toption forwarded host' '' ''
check "a later line replaces it" tells 'host="h.example"' '\toption forwarded' '' '\toption forwarded host'
check "an expression is evaluated" tells 'for=_GET' '' '' '\toption forwarded for-expr method'
check "no option forwarded undoes it" sh -c "! grep -q forwarded: '$dir/said'" \
	"$(tells x '\toption forwarded' '' '\tno option forwarded')"
finish
