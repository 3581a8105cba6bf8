#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# With ocsp-update the response is fetched from the responder that the certificate names, judged,
# and stapled by all workers; again on request; a responder that fails is noted. After a reload what
# was fetched is still there, and not asked for again before it is due.
. "${0%/*}/../lib.sh"
. "${0%/*}/ocsp_lib.sh"

port=$(ports 1)
dead=$(ports 1)
certificate() { # NAME SERIAL HOST:PORT
	echo "authorityInfoAccess=OCSP;URI:http://$3/some/path" >"$dir/ext"
	issued "$1" "$2" "$dir/ext"
	printf 'V\t%s\t\t%s\tunknown\t/CN=%s\n' "$later" "$2" "$1" >>"$dir/index"
}
certificate good 1001 "localhost:$port"
certificate dead 1002 "127.0.0.1:$dead"
certificate lost 1003 "nowhere.invalid:80"
openssl ocsp -port "$port" -index "$dir/index" -CA "$dir/ca.pem" -rsigner "$dir/ca.pem" \
	-rkey "$dir/ca.key" -ndays 1 >/dev/null 2>"$dir/responder" &
responder=$!
children="$children $responder"
until_true 60 openssl ocsp -issuer "$dir/ca.pem" -cert "$dir/good.crt" -url "http://127.0.0.1:$port/"
printf '%s [ocsp-update on]\n' "$dir/good.pem" >"$dir/list"
config <<END
	nbproc 2
	ocsp-update.mindelay 60
	ocsp-update.maxdelay 600
	httpclient.resolvers.disabled on
	httpclient.retries 0
crt-store
	load crt $dir/dead.pem alias dead ocsp-update on
	load crt $dir/lost.pem alias lost ocsp-update on
frontend fe
	mode http
	timeout client 2m
	bind $front ssl crt-list $dir/list
	bind $back ssl crt @/dead crt @/lost
	http-request return status 200 content-type text/plain lf-string "worker %[proc]\n"
END
start_workers
updates() { ask "show ssl ocsp-updates" | grep -q "$1"; }

check "both staple what was fetched" until_true 60 both "$front" "Cert Status: good"
check "it is noted" updates "good.pem | .* | .* | 1 | 0 | 1 | Update successful"
check "a responder that is not there is noted" until_true 60 updates "dead | .* | - | 0 | 1 | 2 | HTTP error"
check "a name that nobody knows, too" until_true 60 updates "lost | .* | Name of the responder not found"
check "and logged" grep -q "OCSP: no response for '@/dead'" "$log"
ask "update ssl ocsp-response $dir/good.pem" >/dev/null
check "on request it is fetched again" until_true 60 updates "good.pem | .* | .* | 2 | 0 | 1 | Update"
check "no certificate, no update" sh -c "
	'$tool' -s '$stats' ask 'update ssl ocsp-response nowhere' | grep -q 'Unknown certificate'"
children=
kill "$responder"
wait "$responder"
check "reloaded without a responder" sh -c "'$tool' -s '$dir/parent.sock' ask reload | grep -q Success=1"
check "what failed is tried at once" until_true 60 updates "dead | .* | - | 0 | [2-9] | 2 | HTTP error"
check "what came is not due" updates "good.pem | .* | .* | 2 | 0 | 1 | Update"
check "and still there" until_true 60 both "$front" "Cert Status: good"
finish
