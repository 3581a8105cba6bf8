#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Each object can have a guid; no two have the same, and "show guid" tells whose one is.
. "${0%/*}/../lib.sh"

# judge LINES...: what -c says of a configuration with these lines in listen "l"
judge() {
	{
		http_defaults
		printf 'listen l\n'
		printf '\t%s\n' "$@"
	} >"$dir/judged.cfg"
	"$PENSTOCK" -c -f "$dir/judged.cfg" >"$log" 2>&1
}
taken() { # SENTENCE LINES...
	sentence_of=$1
	shift
	judge "$@"
	check "$sentence_of" test $? -eq 0 || cat "$log"
}
# refused TEXT LINES...
refused() {
	text=$1
	shift
	judge "$@"
	check "refused: $text" grep -qF "$text" "$log" || cat "$log"
}

refused "'a b' is no guid" "guid 'a b'"
refused "'' is no guid" "guid ''"
refused "at most 127 characters, not 128" "guid $(printf '%128s' '' | tr ' ' x)"
taken "127 characters, letters, digits and .:-_ are taken" \
	"bind :1" "guid $(printf '%127s' '' | tr ' ' x)" "server s 127.0.0.1:1 guid A.b:c-d_1"
refused "cannot be given by default-server" "default-server guid x"
refused "cannot be given by server-template" "server-template s 2 127.0.0.1:1 guid x"
refused "server l/t has the guid 'x', which server l/s at $dir/judged.cfg:7 has already" \
	"server s 127.0.0.1:1 guid x" "server t 127.0.0.1:2 guid x"
refused "server l/s has the guid 'x', which listen l at $dir/judged.cfg:6 has already" \
	"guid x" "server s 127.0.0.1:1 guid x"
refused "of listen l has the guid 'x-1', which listen l at" "guid x-1" "bind :1 guid-prefix x"
taken "sockets for datagrams have one" "bind :1" "server s 127.0.0.1:1" "udp-lb u" \
	"dgram-bind 127.0.0.1:5353 guid-prefix d" "server t 127.0.0.1:53"
refused "of udp-lb u has the guid 'd-1', which server l/s" "server s 127.0.0.1:1 guid d-1" \
	"udp-lb u" "dgram-bind 127.0.0.1:5353 guid-prefix d" "server t 127.0.0.1:53"
taken "case counts" "bind :1" "server s 127.0.0.1:1 guid x" "server t 127.0.0.1:2 guid X"

{
	http_defaults | sed '1s/$/ d/'
	cat <<END
frontend web
	guid front
	bind $front,unix@$dir/web guid-prefix sock
	default_backend shop
backend shop
	guid back
	balance source
	hash-type consistent
	server a 127.0.0.1:1 guid shop-a hash-key guid
	server b 127.0.0.1:1
END
} | config
start_penstock
ask "show guid" >"$dir/all"
{
	echo "front frontend web"
	echo "sock-1 socket $front of frontend web"
	echo "sock-2 socket unix@$dir/web of frontend web"
	echo "back backend shop"
	echo "shop-a server shop/a"
	echo
} >"$dir/expected"
check "show guid lists proxies, sockets and servers" cmp -s "$dir/all" "$dir/expected" || cat "$dir/all"
check "show guid tells whose one is" test "$(ask "show guid shop-a")" = "shop-a server shop/a"
check "or that nobody has it" test "$(ask "show guid shop-A")" = "No such guid."
check "a server that is added has one" test "$(ask "add server shop/c 127.0.0.1:1 guid new")" = "New server registered."
check "and is found by it" test "$(ask "show guid new")" = "new server shop/c"
ask "add server shop/d 127.0.0.1:1 guid shop-a" >"$dir/twice"
check "not that of another one" grep -qF "has the guid 'shop-a', which server shop/a" "$dir/twice" || cat "$dir/twice"
ask "add backend more from d guid more" >"$dir/added"
check "a backend that is added has one" test "$(ask "show guid more")" = "more backend more" || cat "$dir/added"
ask "add backend many from d guid shop-a" >"$dir/twice"
check "not that of another one, either" grep -qF "backend many has the guid 'shop-a', which server shop/a" "$dir/twice" || cat "$dir/twice"
ask "del server shop/c" >/dev/null
check "a server that has gone has none" test "$(ask "show guid new")" = "No such guid."
finish
