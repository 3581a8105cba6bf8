#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# udp-lb: which lines a section may have, and what is said of the others.
. "${0%/*}/../lib.sh"

# valid NAME: the section of the standard input is one.
valid() {
	cat >"$dir/cfg"
	"$PENSTOCK" -c -f "$dir/cfg" >"$log" 2>&1 || { cat "$log"; false; }
}
# refused TEXT LINES: with the lines the section is none, and the text says why.
refused() {
	printf 'udp-lb u\n\tdgram-bind 127.0.0.1:1\n%s\n' "$2" >"$dir/cfg"
	! "$PENSTOCK" -c -f "$dir/cfg" >"$log" 2>&1 && grep -qF "$1" "$log" || { cat "$log"; false; }
}
said() { grep -qF "$1" "$log"; }

check "all words of dgram-bind, all algorithms" valid <<END
udp-lb u
	dgram-bind 127.0.0.1:5300-5303,[::1]:5300 v6only maxconn 100 name x nice 100 shards 2
	dgram-bind udp@127.0.0.2:5300 interface lo namespace blue transparent
	dgram-bind [::]:5300 v4v6 id 7 thread all shards by-thread
	balance static-rr
	id 3
	description datagrams
	maxconn 500
	proxy-requests 10
	proxy-responses 2
	accepted-payload-size 512
	timeout client 10s
	timeout server 10s
	timeout connect 1s
	timeout check 1s
	option allbackups
	option log-health-checks
	default-server check inter 1s weight 10
	server a 192.0.2.1:53 maxconn 10
	server b 192.0.2.2:53 backup
	server c 192.0.2.3:53 disabled
udp-lb r
	dgram-bind :5399
	balance random
	server a 192.0.2.1:53
udp-lb l
	dgram-bind :5398
	balance leastconn
	server a 192.0.2.1:53
udp-lb h
	dgram-bind :5397
	balance hash req.payload(0,2)
	hash-type consistent
	hash-balance-factor 150
	server a 192.0.2.1:53
END
valid <<END
defaults
	mode http
	timeout client 1s
	balance first
	option httpchk
udp-lb u
	dgram-bind 127.0.0.1:5300
	server a 192.0.2.1:53 check
END
check "nothing is inherited" test "$(grep -c . "$log")" -le 1
check "a line with 'bind' is none" refused "'bind' is not allowed" "	bind :80"
check "nor one with 'http-request'" refused "'http-request" "	http-request deny"
check "nor 'ssl' of a server" refused "'ssl' is not for datagrams" \
	"	server s 127.0.0.1:1 ssl verify none"
refused "'ssl' is not for datagrams" "	server s 127.0.0.1:1 ssl" && grep -q "verify" "$log"
check "... of which nothing else is asked" test $? -ne 0
for word in send-proxy "send-proxy-v2 proxy-v2-options ssl" tfo "socks4 127.0.0.1:1" "cookie x" "redir /x" "maxqueue 3" \
	"tcp-ut 1s" "ws h1" non-stick "max-reuse 3" "minconn 2" "pool-max-conn 2" "pool-low-conn 2" \
	"pool-purge-delay 5s" "alpn h2" "sni str(x)" "verify none" check-via-socks4 stick; do
	check "... nor '$word'" refused "is not for datagrams" "	server s 127.0.0.1:1 $word"
done
check "PROXY headers of checks are of version 2" refused "of version 2" "	option udp-check
	server s 127.0.0.1:1 check check-send-proxy"
check "... with the word's place and a cure" refused ":3:23: error: 'minconn' is not" "	server s 127.0.0.1:1 minconn 2"
check "... namely" said "leave it out: datagrams do not wait in a queue"
check "... nor in default-server" refused "'pool-max-conn' is not for datagrams" "	default-server pool-max-conn 2"
printf 'udp-lb u\n\tdgram-bind 127.0.0.1:1\n\tserver s 127.0.0.1:1 check check-ssl verify none\n' >"$dir/udp"
check "words of TLS are there for checks that speak it" valid <"$dir/udp"
for address in udp@127.0.0.1:1 udp4@127.0.0.1:1 'udp6@[::1]:1' '127.0.0.1:1' 'ipv4@127.0.0.1:1'; do
	printf 'udp-lb u\n\tdgram-bind 127.0.0.1:1\n\tserver s %s\n' "$address" >"$dir/udp"
	check "a server is $address" valid <"$dir/udp"
done
check "... not tcp@127.0.0.1:1" refused "is an address for streams" "	server s tcp@127.0.0.1:1"
check "an address twice is noticed" valid <<END
udp-lb u
	dgram-bind 127.0.0.1:5300
	dgram-bind 127.0.0.1:5300
	server a 192.0.2.1:53
END
check "... with the other place" said "127.0.0.1:5300 is listened on twice, also at"
check "rules find no HTTP" refused ":3:18: error: this never matches here: 'path' finds nothing" \
	"	use-server s if { path /x }
	server s 127.0.0.1:1"
check "... nor TLS" refused "'ssl_fc' finds nothing in the udp-lb section 'u', datagrams have no TLS" \
	"	use-server s if { ssl_fc }
	server s 127.0.0.1:1"
check "... nor by named ACLs" refused "ACL 'a' never matches here: 'wait_end'" \
	"	acl a wait_end
	use-server s if a
	server s 127.0.0.1:1"
check "'balance hash' finds no HTTP either" refused ":3: error: 'balance hash url' finds nothing" \
	"	balance hash url
	server s 127.0.0.1:1"
check "... and it is told what does" said "'req.payload(0,4)', the first bytes, find something"
for alias in ST HM CC hr sslv Tr; do
	check "log-format %$alias" refused "'%$alias' says nothing of datagrams: 'u' is an udp-lb section" \
		"	log-format \"%$alias\""
done
printf 'udp-lb u\n\tdgram-bind 127.0.0.1:1\n\tlog 127.0.0.1:514 local0\n\tlog-format "${HAPROXY_TCP_LOG_FMT}"\n' >"$dir/udp"
check "... the format of mode tcp is allowed" valid <"$dir/udp"
check "a Unix socket is no server" refused "cannot be a Unix socket" "	server s /run/x"
for words in uri "url_param x" "hdr(host)" rdp-cookie; do
	name=${words%%[ (]*}
	check "'balance $name' needs HTTP" \
		refused ":3: error: 'balance $name' of the udp-lb section 'u' looks at what only connections have" \
		"	balance $words"
	check "... and it is told what datagrams have" said "roundrobin, static-rr, leastconn, first, source, random and hash"
done
check "what is no algorithm at all" refused "'nonsense' is not a known algorithm" "	balance nonsense"
check "... and it is told which there are" said "first, source, random or hash"
check "... without those of HTTP" eval '! said url_param'
check "sizes have limits" refused "65507" "	accepted-payload-size 65508"
check "shards have limits" refused "by-thread" "	dgram-bind :2 shards 65"
check "a word of bind lines alone is refused" refused "'accept-proxy'" "	dgram-bind :2 accept-proxy"
for words in "" dns "dns www.example.com" ntp "radius xyzzy" syslog "send x" "send x expect y" \
	"send-binary 0001 expect-binary 80"; do
	printf 'udp-lb u\n\tdgram-bind 127.0.0.1:1\n\toption udp-check %s\n\tserver s %s check\n' \
		"$words" 127.0.0.1:1 >"$dir/udp"
	check "option udp-check $words" valid <"$dir/udp"
done
check "option udp-check knows no others" refused "'dns', 'ntp', 'radius', 'syslog'" \
	"	option udp-check tftp"
check "a RADIUS server shares a secret" refused "the secret" "	option udp-check radius"
check "... nor names that are none" refused "1 to 63" "	option udp-check dns a..b"
check "... nor odd digits" refused "two hexadecimal digits" "	option udp-check send-binary 012"
check "... nor nothing to send" refused "cannot be empty" "	option udp-check send ''"
check "... nor to expect" refused "cannot be empty" "	option udp-check send x expect ''"
check "it is for datagrams alone" refused "it belongs in udp-lb" "backend b
	option udp-check"
printf 'frontend f\n\tbind 127.0.0.1:1\n\tdefault_backend u\n' >"$dir/fe"
check "connections do not lead there" refused "takes no connections" "$(cat "$dir/fe")"
check "an empty section is warned about" valid <<END
udp-lb u
	server a 192.0.2.1:53
listen l
	bind 127.0.0.1:1
	timeout client 1s
	timeout server 1s
	timeout connect 1s
END
check "... as such" said "has no 'dgram-bind' line"

# -- files of the enterprise edition
check "a file of the enterprise edition runs" valid <<END
global
	module-path /opt/hapee-2.6/modules
	module-load hapee-lb-udp.so
udp-lb dns
	dgram-bind 127.0.0.1:5300 name dns
	balance roundrobin
	proxy-requests 1
	proxy-responses 1
	option udp-check
	server s1 192.0.2.1:53 check inter 2s fall 3 rise 2
END
"$PENSTOCK" -dD -c -f "$dir/cfg" >"$log" 2>&1
check "... which need not load it" said "it is part of penstock: this line is not needed"
printf 'global\n\tmodule-load hapee-lb-sanitize.so\n' >"$dir/cfg"
"$PENSTOCK" -c -f "$dir/cfg" >"$log" 2>&1
check "another module is an error" said "error: the module 'hapee-lb-sanitize.so' is not there"
finish
