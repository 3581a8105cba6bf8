#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# doc/configuration.md: each example that begins with a section is a valid configuration, and each
# word that penstock knows has an entry. Beside the sanitizers every fourth example (in_full).
. "${0%/*}/../lib.sh"

manual=$srcdir/doc/configuration.md
mkdir "$dir/examples"

# Certificates of the examples: /etc/penstock/tls stands for this folder. Without TLS in the build
# their examples are not tried.
tls=$dir/tls
mkdir "$tls"
self_signed() { # FILE NAME
	openssl req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:P-256 -days 30 -subj "/CN=$2" \
		-addext "subjectAltName=DNS:$2" -keyout "$tls/key" -out "$tls/crt" 2>/dev/null &&
		cat "$tls/crt" "$tls/key" >"$tls/$1" && rm "$tls/key" "$tls/crt"
}
if self_signed site.pem www.example.com && "$PENSTOCK" -vv | grep -q '+OPENSSL'; then
	self_signed other.pem other.example.com
	self_signed wild.pem '*.example.net'
	self_signed ca.pem 'An authority'
	: >"$tls/index"
	printf '[ca]\ndefault_ca=c\n[c]\ndatabase=%s\ndefault_md=sha256\ndefault_crl_days=30\n' "$tls/index" >"$tls/conf"
	openssl ca -config "$tls/conf" -gencrl -keyfile "$tls/ca.pem" -cert "$tls/ca.pem" -out "$tls/crl.pem" 2>/dev/null
	rm -f "$tls"/index* "$tls/conf"
	mkdir "$tls/certs" && cp "$tls/site.pem" "$tls/other.pem" "$tls/certs"
	mkdir "$tls/chains" && cp "$tls/ca.pem" "$tls/chains"
	openssl dhparam -dsaparam 2048 >"$tls/dh.pem" 2>/dev/null
	for i in 1 2 3; do openssl rand -base64 48 | tr -d '\n'; echo; done >"$tls/tickets"
	{
		echo '/etc/penstock/tls/site.pem'
		echo '/etc/penstock/tls/wild.pem [alpn http/1.1] *.example.net !secret.example.net'
	} | sed "s,/etc/penstock/tls,$tls," >"$tls/list"
else
	tls=
fi
# Scripts: /etc/penstock/lua. Without Lua in the build their examples are not tried.
lua=$dir/lua
mkdir "$lua"
cat >"$lua/hello.lua" <<-'LUA'
	core.register_action("hello", { "http-req" }, function(txn) txn:set_var("txn.hello", "hello") end)
LUA
"$PENSTOCK" -vv | grep -q '+LUA' || lua=
# Name servers: without c-ares in the build examples that ask them are not tried.
names=yes
"$PENSTOCK" -vv | grep -q '+CARES' || names=
# Blocks are indented by four spaces; one that does not begin with a section is syntax.
awk -v dir="$dir/examples" '
	function flush() {
		if (text ~ /^(global|defaults|frontend|backend|listen|ring|userlist|http-errors|crt-store|namespace_list|peers|resolvers|udp-lb)[ \n]/ && text !~ /^[^\n]*</)
			printf "%s", text >(dir "/" sprintf("%05d", first))
		text = ""
	}
	/^    / { if (text == "") first = NR; text = text substr($0, 5) "\n"; next }
	/^$/ { if (text != "") text = text "\n"; next }
	{ flush() }
	END { flush() }' "$manual"
every=1
in_full || every=4
count=0
for example in "$dir"/examples/*; do
	count=$((count + 1))
	[ $((count % every)) -eq 0 ] || continue
	if grep -q /etc/penstock/tls "$example"; then
		[ "$tls" ] || continue
		sed "s,/etc/penstock/tls,$tls,g" "$example" >"$dir/example" && cp "$dir/example" "$example"
	fi
	if grep -q /etc/penstock/lua "$example"; then
		[ "$lua" ] || continue
		sed "s,/etc/penstock/lua,$lua,g" "$example" >"$dir/example" && cp "$dir/example" "$example"
	fi
	grep -q '^resolvers ' "$example" && [ ! "$names" ] && continue
	"$PENSTOCK" -c -f "$example" >"$log" 2>&1
	case $? in
	0 | 2) continue ;; # 2: valid, but with nothing to listen on
	esac
	cat "$example" "$log"
	fail "the example at line $(basename "$example")"
done
check "$count examples, at least 100" test "$count" -ge 100

in_full || finish # the entries are the manual's, not the build's
printf 'backend b\n\tserver s 127.0.0.1:1\n' >"$dir/cfg"
"$PENSTOCK" -c -q -dKcfg -f "$dir/cfg" |
	sed -n 's/^	//p' | sed 's/ [<[{|].*//; s/(<.*//; s/^bind <address> //; s/^dgram-bind <address> //; s/^server <name> <address> //; s/ proc\.<name>//' |
	sort -u >"$dir/words"
missing=0
while read -r word; do
	grep -qxE "#+ (.*, |bind: |server: )?$word(,.*)?|\| .$word <.*" "$manual" || {
		say "no entry: $word"
		missing=$((missing + 1))
	}
done <"$dir/words"
check "$(wc -l <"$dir/words") words, $missing without an entry" test "$missing" -eq 0
finish
