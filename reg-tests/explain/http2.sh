#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# penstock explain --http 2: the request goes as HTTP/2, in clear at once and by TLS where the bind
# line agrees; rules, the server and the log see what they would see. trace request passes over the
# preface.
. "${0%/*}/../lib.sh"

cat >"$dir/site.cfg" <<'END'
defaults
	mode http
	timeout connect 5s
	timeout client 5s
	timeout server 5s
	log 192.0.2.200:514 local0
	option httplog
frontend web
	bind :80
	http-request deny if { path /no }
	http-request redirect scheme https if { path /elsewhere }
	http-request set-var(txn.major) fc_http_major
	http-request set-header X-Version %[req.ver]/%HV
	default_backend site
backend site
	server a 192.0.2.1:8081
frontend tcp
	mode tcp
	bind :81
	default_backend bytes
backend bytes
	mode tcp
	server a 192.0.2.1:8082
END
run() {
	timeout 60 "$PENSTOCK" explain -f "$dir/site.cfg" "$@" >"$dir/out" 2>"$dir/err" </dev/null
	code=$?
}
wanted() { check "$2: $code" test "$code" -eq "$1"; }
out() { grep -qF -e "$1" "$dir/out"; }
line() { grep -qE -e "$1" "$dir/out"; }

url=http://shop.example.org
run "$url/x?y=z" --http 2 --cookie a=b --cookie c=d -H 'X-Odd: 1' \
	--expect 'var txn.major=2' --expect 'request-header x-version=2.0/HTTP/2.0' --expect 'log~"GET /x?y=z HTTP/2.0"' \
	--expect 'request-header host=shop.example.org' --expect 'request-header cookie=a=b; c=d' \
	--expect 'request-header x-odd=1' --expect server=a --expect status=200
wanted 0 "a request as HTTP/2, in clear"
check "it is told" line '^GET /x\?y=z  Host: shop.example.org  HTTP/2$'
check "the rules" out "fc_http_major = 2"
check "the answer, as HTTP/2" line '^         HTTP/2 200$'
check "who would be next" out "if a were down: no server: the client gets 503 (SC)"
run "$url/" --http 1.1 --expect 'var txn.major=1' --expect 'request-header x-version=1.1/HTTP/1.1'
wanted 0 "and as HTTP/1.1"
run "$url/no" --http 2 --expect status=403 --expect end=PR --expect 'header content-type=text/html'
wanted 0 "a rule that answers"
run "$url/elsewhere" --http 2 --expect status=302 --expect 'header location=https://shop.example.org/elsewhere'
wanted 0 "a redirect"
head -c 65535 /dev/zero >"$dir/body"
run POST "$url/" --http 2 --body "$dir/body" --answer-body "$dir/body" --server-answers 201 --expect status=201 \
	--expect 'request-header content-length=65535' --expect 'header content-length=65535'
wanted 0 "bodies both ways"
check "whole" test "$(grep -c '(and 65535 bytes of a body)' "$dir/out")" -eq 3
printf x >>"$dir/body"
run POST "$url/" --http 2 --body "$dir/body"
wanted 2 "a body that would have to wait for a window"
check "is refused with its limit" grep -q "65535 bytes are sent at most" "$dir/err"
long=$(head -c 9000 /dev/zero | tr '\0' a)
run "$url/" --http 2 -H "X-A: $long" -H "X-B: $long" --expect status=431
wanted 0 "a head that is too large"
run "$url/" --http 2 -H 'Connection: close' --expect server=
wanted 0 "what HTTP/2 forbids"
check "is refused as it is when served" out "(the stream ends: PROTOCOL_ERROR)"
run CONNECT shop.example.org:443 --to 192.0.2.1:80 --http 2 -H 'Host: shop.example.org:443' --expect 'log~"CONNECT shop.example.org:443 HTTP/2.0"'
wanted 0 "CONNECT"
run "$url:81/" --http 2 --expect backend=bytes
wanted 0 "a frontend of mode tcp passes bytes on"

if command -v openssl >/dev/null && ! "$PENSTOCK" -vv | grep -q "Built without OpenSSL"; then
	cat >>"$dir/site.cfg" <<END
frontend tls
	mode http
	bind :443 ssl crt $dir/none.pem alpn h2,http/1.1
	bind :444 ssl crt $dir/none.pem alpn http/1.1
	http-request set-header X-Version %[fc_http_major]/%[ssl_fc_alpn]
	default_backend site
END
	run https://shop.example.org/ --http 2 --expect 'request-header x-version=2/h2'
	wanted 0 "by TLS, where the bind line agrees"
	run https://shop.example.org:444/ --http 2 --expect 'request-header x-version=1/http/1.1'
	wanted 0 "and where it does not"
	check "it is said" out "HTTP/2 is not agreed on (alpn): it is HTTP/1.1"
	run https://shop.example.org/ --expect 'request-header x-version=1/http/1.1'
	wanted 0 "and where the client does not ask"
fi

# One that is served.
config <<END
defaults
	mode http
	timeout connect 30s
	timeout client 2m
	timeout server 2m
frontend fe
	bind $front
	http-request return status 200 content-type text/plain string hello if { fc_http_major 2 }
END
start_penstock
driver "$srcdir/reg-tests/explain/http2.py" || failures=$((failures + 1))
finish
