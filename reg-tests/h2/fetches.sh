#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What rules and log lines know of a request over HTTP/2: the connection that it shares with others
# (addresses, TLS, PROXY header, variables of the session), and what is its own.
. "${0%/*}/../lib.sh"
. "${0%/*}/../tls/certs.sh"
command -v curl >/dev/null || { say "curl is not installed"; exit 77; }
curl --version | grep -q HTTP2 || { say "curl was built without HTTP/2"; exit 77; }

authority ca
signed site ca www.example.com
tls=127.0.0.1:$(ports 1)
proxied=127.0.0.1:$(ports 1)
config <<END
defaults
	mode http
	timeout client 1m
	timeout connect 1m
	timeout server 1m
frontend f
	bind $front name clear
	bind $tls ssl crt $certs/site.pem name tls
	bind $proxied accept-proxy ssl crt $certs/site.pem name proxied
	log stderr local0
	log-format "logged %ft %fi:%fp %HM %HP %HV %hr %sslv T=%Th,%Ti,%Tq %ID"
	unique-id-format id%[var(sess.of)]
	capture request header host len 20
	tcp-request connection set-var(sess.of) dst_port
	tcp-request session set-var(sess.major) fc_http_major
	http-request set-var(sess.first) path unless { var(sess.first) -m found }
	http-request set-var(txn.own) path
	http-request set-src req.hdr(x-src) if { req.hdr(x-src) -m found }
	http-request return status 200 content-type text/plain lf-string "\
%[req.ver] major=%[fc_http_major] src=%[src] dst=%[dst]:%[dst_port] so=%[so_name] \
tls=%[ssl_fc],%[ssl_fc_alpn],%[ssl_fc_sni],%[ssl_fc_protocol] first=%[http_first_req] \
sess=%[var(sess.of)],%[var(sess.first)],%[var(sess.major)] own=%[var(txn.own)] \
%[method] %[url] %[base] host=%[req.hdr(host)] names=%[req.hdr_names] cookie=%[req.cook(b)],%[req.hdr(cookie)]\n"
END
start_penstock

# says WHAT LINE EXPECTED ARGUMENTS...: that line of the output holds it.
says() {
	what=$1 line=$2 expected=$3
	shift 3
	curl -s -S -k -m 60 -A x "$@" >"$dir/out" 2>&1
	got=$(sed -n "${line}p" "$dir/out")
	case $got in
	*"$expected"*) pass "$what: $expected" ;;
	*) fail "$what: $expected: $got" ;;
	esac
}
port() { printf '%s\n' "${1##*:}"; }
prior=--http2-prior-knowledge
own="--resolve www.example.com:$(port $tls):127.0.0.1"
site=https://www.example.com:$(port $tls)
says "addresses" 1 "2.0 major=2 src=127.0.0.1 dst=$front so=clear" $prior "http://$front/"
says "no TLS" 1 "tls=0,,, first=1" $prior "http://$front/"
says "with TLS" 1 "src=127.0.0.1 dst=$tls so=tls tls=1,h2,www.example.com,TLSv1.3 first=1" $own "$site/"
says "a path, a query" 1 "GET /a?b=c www.example.com:$(port $tls)/a host=www.example.com:$(port $tls)" $own "$site/a?b=c"
says "fields" 1 "names=host,user-agent,accept,cookie cookie=2,a=1; b=2" $own -H 'Cookie: a=1; b=2' "$site/"
says "a PROXY header" 1 "src=127.0.0.1 dst=$proxied so=proxied tls=1,h2" --haproxy-protocol "https://$proxied/"
says "variables of the session" 1 "first=1 sess=$(port $tls),/1, own=/1" "https://$tls/[1-3]"
says "are shared" 3 "first=0 sess=$(port $tls),/1, own=/3" "https://$tls/[1-3]"
says "set-src" 1 "src=192.0.2.9 dst=$tls" -H 'x-src: 192.0.2.9' "https://$tls/" "https://$tls/"
says "the next request has its own address" 1 "src=127.0.0.1" "https://$tls/"
says "HTTP/1.1 beside it" 1 "1.1 major=1 src=127.0.0.1 dst=$tls" --http1.1 "https://$tls/"
line() { check "the log: $1" until_true 60 grep -q "logged $1" "$log"; }
line "f $front GET / HTTP/2.0 {$front} - T=[0-9]*,[0-9]*,[0-9]* id$(port $front)"
line "f~ $tls GET /a HTTP/2.0 {www.example.com:.* TLSv1.3 T=[0-9]*,[0-9]*,[0-9]* id$(port $tls)"
line "f~ $tls GET /3 HTTP/2.0 {$tls} TLSv1.3 T=0,"
finish
