#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The soak of mode http (reg-tests/http/soak.sh) with TLS between client, proxy and origin: two
# proxies in mode tcp put it on and take it off; some of it with sockets that take little at a time.
# By hand, longer: SOAK="-t 60 -c 200", and with WORDS="tune.sndbuf.client 4608", under which a
# reused connection was once closed without an answer: that is not explained yet.
. "${0%/*}/../lib.sh"

command -v openssl >/dev/null || { say "needs openssl"; exit 77; }
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=a \
	-keyout "$dir/a.key" -out "$dir/a.crt" 2>"$dir/req.log" || { cat "$dir/req.log"; exit 1; }
cat "$dir/a.crt" "$dir/a.key" >"$dir/a.pem"
set -- $(ports 2)
in=127.0.0.1:$1 out=127.0.0.1:$2
for words in "" "no option splice-response" "http-reuse always" \
	"shim send=short:500%2" "shim send=short:100%3 pull=limit:100%3" "shim push=short:3000" \
	${WORDS:+"$WORDS"}; do
	say "## $words"
	global= SHIM=
	case $words in
	tune*) global=$words words= ;;
	shim*) SHIM=${words#shim } words= ;;
	esac
	config <<-END
		$global
	$(http_defaults)
		$words
	listen before
		mode tcp
		bind $front
		server s1 $in ssl verify none
	frontend fe
		bind $in ssl crt $dir/a.pem
		default_backend be
	backend be
		server s1 $out ssl verify none
	listen behind
		mode tcp
		bind $out ssl crt $dir/a.pem
		server s1 $back
	END
	start_penstock
	"$topbuild/reg-tests/http/httpsoak" -f "$front" -b "$back" ${SOAK:--t 1} -z 200k || failures=1
	exactly PipesUsed 0
	stop_penstock
done
finish
