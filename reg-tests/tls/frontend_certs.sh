#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# "ssl-f-use": certificates of a frontend, with their files and options, for all its bind lines with
# TLS, in the order of the lines, whichever comes first; the crt-list "@<frontend>" of the stats
# socket.
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"

authority ca
for name in site other third bound; do signed $name ca $name.example.com; done
signed rsa ca rsa.example.com rsa
signed stranger ca stranger.example.com
second=127.0.0.1:$(ports 1) plain=127.0.0.1:$(ports 1) own=127.0.0.1:$(ports 1)
config <<END
	crt-base $certs
	key-base $certs
defaults
	mode http
	timeout client 1m
frontend web
	bind $front ssl
	ssl-f-use crt site.crt key site.key
	ssl-f-use crt other.pem alpn http/1.1 ssl-max-ver TLSv1.2 ocsp-update off
	bind $second ssl no-alpn
	bind $plain
	ssl-f-use crt rsa.pem
	http-request return status 200
listen mixed
	bind $own ssl crt bound.pem
	ssl-f-use ssl-min-ver TLSv1.3 crt third.pem
	ssl-f-use key site.key crt site.crt
	http-request return status 200
END
start_penstock
https=$front
for at in "$https" "$second"; do
	front=$at
	check "$at: the first one is the default" test "$(served nobody.example)" = site
	check "$at: the others are shown for their names" test "$(served other.example.com)" = other
	check "$at: and the last" test "$(served rsa.example.com)" = rsa
	check "$at: options are of one certificate" \
		sh -c "! echo | openssl s_client -connect $at -servername other.example.com -tls1_3 >/dev/null 2>&1"
	check "$at: and of no other" test "$(served site.example.com -tls1_3)" = site
done
front=$https
check "ALPN of the line" sh -c "echo | openssl s_client -connect $front -servername other.example.com -alpn http/1.1 2>/dev/null | grep -q 'ALPN protocol: http/1.1'"
front=$own
check "a certificate of the bind line comes first" test "$(served nobody.example)" = bound
check "those of the frontend beside it" test "$(served third.example.com)" = third
check "options alone in front" test -z "$(served third.example.com -tls1_2)"
check "two frontends share one" test "$(served site.example.com)" = site
printf 'GET / HTTP/1.0\r\n\r\n' | timeout 60 socat -t 60 - "TCP:$plain" >"$dir/said"
check "a line without TLS stays plain" grep -q '^HTTP/1.[01] 200' "$dir/said"
front=$https

cli() { echo "$1" | socat -t 60 - "$stats"; }
check "the list has a name" sh -c "echo 'show ssl crt-list' | socat -t 60 - '$stats' | grep -qx '@web'"
cli 'show ssl crt-list -n @web' | grep -v '^#\|^$' >"$dir/list"
check "and its lines" diff - "$dir/list" <<END
$certs/site.crt:1
$certs/other.pem:2 [alpn http/1.1 ssl-max-ver TLSv1.2 ocsp-update off]
$certs/rsa.pem:3
END
cli "new ssl cert $certs/third2.pem" >"$dir/said"
{ printf 'set ssl cert %s/third2.pem <<\n' "$certs"; cat "$certs/stranger.pem"; echo; } | socat -t 60 - "$stats" >>"$dir/said"
cli "commit ssl cert $certs/third2.pem" >>"$dir/said"
cli "add ssl crt-list @web $certs/third2.pem" >>"$dir/said"
check "a line is added while it serves" test "$(served stranger.example.com)" = stranger
cli "del ssl crt-list @web $certs/third2.pem" >>"$dir/said"
check "and deleted" test "$(served stranger.example.com)" = site
stop_penstock

# refused SENTENCE LINE...: in a frontend with TLS.
refused() {
	{ printf 'global\n\tcrt-base %s\n\tkey-base %s\n' "$certs" "$certs"; http_defaults; printf 'frontend f\n\tbind :1 %s\n' "${bind-ssl}"
	  sentence=$1; shift; printf '\t%s\n' "$@"; printf '\thttp-request return status 200\n'; } >"$dir/bad.cfg"
	"$PENSTOCK" -c -f "$dir/bad.cfg" >"$dir/said" 2>&1
	rc=$?
	check "$* -> $sentence" grep -qF "$sentence" "$dir/said"
}
refused "'crt' and the name of a file expected" 'ssl-f-use alpn h2'
refused "'strict-sni' is a word of bind lines" 'ssl-f-use crt site.pem strict-sni'
refused "'tarpit' is not known here" 'ssl-f-use crt site.pem tarpit'
refused "an alias is for 'load'" 'ssl-f-use crt site.pem alias x'
refused "'crt' a second time" 'ssl-f-use crt site.pem crt other.pem'
refused "with other files" 'ssl-f-use crt site.crt key site.key' 'ssl-f-use crt site.crt key site.pem'
refused "none.pem" 'ssl-f-use crt none.pem'
refused "'ocsp-update' takes 'on' or 'off'" 'ssl-f-use crt site.pem ocsp-update perhaps'
bind='' refused "'ssl-f-use' has no effect: no bind line of 'f' has 'ssl'" 'ssl-f-use crt site.pem'
check "which is a warning" test $rc -eq 0
refused "'ssl' needs a certificate" 'log global'
finish
