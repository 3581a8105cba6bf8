#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The script of doc/management.md that saves a table: what it prints makes the same entries again in
# a program that has none, whatever bytes their keys have; what it cannot save it names. It does so
# in HAProxy as well.
. "${0%/*}/../lib.sh"

command -v socat >/dev/null || { say "needs socat"; exit 77; }
command -v python3 >/dev/null || { say "needs python3"; exit 77; }

sed -n '/^### Saving a table/,/^The commands are loaded/p' "$srcdir/doc/management.md" |
	sed -n 's/^    //p' >"$dir/save-table"
chmod +x "$dir/save-table"
check "the page has the script" grep -q '^# save-table SOCKET TABLE' "$dir/save-table"

cat >"$dir/rest" <<END
$(http_defaults)
frontend fe
	bind $front
	http-request track-sc0 url_param(k),url_dec table text
	http-request sc-inc-gpc0(0)
	http-request return status 200
backend text
	stick-table type string len 60 size 1k expire 1h store gpc0,gpt0,conn_cnt,conn_cur,bytes_in_cnt
backend v4
	stick-table type ip size 1k expire 1h store server_id,gpc0,http_req_rate(1h)
backend v6
	stick-table type ipv6 size 1k expire 1h
backend number
	stick-table type integer size 1k expire 1h store gpc0
END
cp "$dir/rest" "$dir/plain"
cat >>"$dir/rest" <<END
backend servers
	stick-table type string len 60 size 1k expire 1h store server_id,server_key
backend arrays
	stick-table type integer size 1k expire 1h store gpt(3),gpc(20),gpc_rate(2,1h)
backend bytes
	stick-table type binary len 4 size 1k expire 1h
END

cat >"$dir/fill.py" <<'END'
import http.client, sys, urllib.parse
host, port = sys.argv[1].split(":")
KEYS = [b"plain", b"a b", b" both ", b"a=b", b"a\\b", b"\\", b"a\\ b", b"a;b", b"a\tb", b"\x1b[0m", b"a\rb", b"\x01\x7f\xff",
        "\u00e4\u20ac".encode(), b"<<", b"a <<", b"#", b"# table: x", b"\"q\" 'r'", b"use=0", b" use=1 exp=2 gpc0=9", b"@1",
        b"*", b"prompt", b"$HOME `id` $(id)", b"%s%n", b"\\x41", b"\\n", b"k" * 60, b"data.gpc0", b"0x1: key=x", b"a\nb", b"\n"]
for i, key in enumerate(KEYS):
    for _ in range(i % 3 + 1):
        c = http.client.HTTPConnection(host, int(port), timeout=30)
        c.request("GET", "/?k=" + urllib.parse.quote_from_bytes(key, safe=""))
        c.getresponse().read()
        c.close()
END

# shown TABLE: without the numbers of entries, and what a conversation cannot hand on.
shown() {
	ask "show table $1" | sed 's/^0x[0-9a-f]*: /: /; s/ exp=[0-9]*/ /; s/ shard=0//; s/ conn_cur=[0-9]*//' | LC_ALL=C sort
}

load() { (echo prompt; cat) | socat -t 60 - "$stats" | grep -v '^\(> \)*$' >"$dir/wrong"; }

# round TABLE...: each is saved, the program begins anew, and each is loaded.
round() {
	for table; do
		"$dir/save-table" "$stats" "$table" >"$dir/$table.saved" 2>"$dir/$table.not"
		shown "$table" >"$dir/$table.before"
	done
	stop_penstock
	start_penstock
	for table; do
		check "$table is empty" test "$(ask "show table $table" | grep -c key=)" = 0
		load <"$dir/$table.saved"
		check "loading $table goes well" test ! -s "$dir/wrong"
		cat "$dir/wrong"
		shown "$table" >"$dir/$table.after"
	done
}

same() {
	for table; do
		check "$table is as it was: $(wc -l <"$dir/$table.before") lines" diff "$dir/$table.before" "$dir/$table.after"
		check "nothing of it is left out" test ! -s "$dir/$table.not"
	done
}

fill() {
	python3 "$dir/fill.py" "$front"
	check "thirty-two keys of all kinds" test "$(ask "show table text" | grep -c key=)" = 32
	ask "set table text key big data.bytes_in_cnt 99999999999 data.gpt0 4294967295" >/dev/null
	for key in 192.0.2.1 255.255.255.255 0.0.0.0; do
		ask "set table v4 key $key data.server_id 2 data.gpc0 7 data.http_req_rate 50" >/dev/null
	done
	for key in :: 2001:db8::1 ::ffff:192.0.2.1; do ask "set table v6 key $key" >/dev/null; done
	for key in 0 1 4294967295; do ask "set table number key $key data.gpc0 $key" >/dev/null; done
}

# texts: two keys of the table text cannot be said, all else is as it was.
texts() {
	check "keys with line feeds are named" test "$(grep -c '^not saved: ' "$dir/text.not")" = 2
	grep -v 'key=a\\nb \|key=\\n ' "$dir/text.before" | sed 's/used:33/used:31/' >"$dir/text.wanted"
	check "all other texts are as they were" diff "$dir/text.wanted" "$dir/text.after"
}

config <"$dir/rest"
start_penstock
fill
ask "set table servers key a data.server_id 1 data.server_key s1" >/dev/null
ask "set table servers key b data.server_id 7 data.server_key 127.0.0.1:80" >/dev/null
ask "set table servers key c data.server_id 7" >/dev/null
words=
for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do words="$words data.gpc$i $((i * i))"; done
ask "set table arrays key 1 $words" >/dev/null
ask "set table arrays key 1 data.gpt0 1 data.gpt1 2 data.gpt2 3 data.gpc0_rate 4 data.gpc1_rate 5" >/dev/null
ask "set table arrays key 2" >/dev/null
check "arrays are set by the names they are shown with" \
	sh -c "'$tool' -s '$stats' ask 'show table arrays key 1' | grep -q 'gpt2=3.* gpc19=361 .*gpc1_rate(3600000)=5'"
round text v4 v6 number servers arrays
texts
same v4 v6 number servers arrays
"$dir/save-table" "$stats" bytes >"$dir/bytes.saved" 2>&1
check "a table of bytes that is empty makes no commands" test ! -s "$dir/bytes.saved"

if haproxy -v 2>/dev/null | grep -q 'version 2\.6' && [ "$PENSTOCK" != haproxy ]; then
	stop_penstock
	say "## haproxy"
	PENSTOCK=haproxy
	config <"$dir/plain"
	start_penstock
	fill
	round text v4 v6 number
	texts
	same v4 v6 number
fi
finish
