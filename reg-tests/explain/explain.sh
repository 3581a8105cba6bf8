#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# penstock explain tells what happens to a request: rules with their lines, values, what they did,
# the server and who would be next; expectations and exit codes; nothing is opened.
. "${0%/*}/../lib.sh"

cat >"$dir/shop.cfg" <<'END'
global
	user nobody-of-this-name
	chroot /nowhere/at/all
	stats socket /nowhere/at/all.sock
defaults
	mode http
	timeout connect 5s
	timeout client 30s
	timeout server 30s
	timeout tarpit 10s
	log 192.0.2.200:514 local0
	option httplog
frontend www
	bind :80
	bind 192.0.2.1:81 accept-proxy
	acl is_shop hdr(host) -i shop.example.org
	acl staff src 10.0.0.0/8
	tcp-request connection reject if { src 203.0.113.0/24 }
	http-request tarpit if { path /slow }
	http-request deny if { path_beg /admin } !staff
	http-request set-header X-Client %[src]
	http-request set-var(txn.kind) path,map_beg(MAP,other)
	use_backend shop if is_shop
	default_backend app
	http-response del-header Server
backend shop
	balance roundrobin
	server s1 shop1.nowhere.invalid:8080 weight 10
	server s2 10.0.0.2:8080 weight 5 ssl verify none sni req.hdr(host)
backend app
	use-server a2 if { url_param(which) two }
	server a1 10.0.0.9:80
	server a2 10.0.0.10:80
	use-server a3 if { path /h2 }
	server a3 10.0.0.11:80 proto h2 weight 0
END
printf '/img pictures\n/cart shopping\n' >"$dir/kinds.map"
sed -i "s#MAP#$dir/kinds.map#" "$dir/shop.cfg"

run() {
	"$PENSTOCK" explain -f "$dir/shop.cfg" "$@" >"$dir/out" 2>"$dir/err" </dev/null
	code=$?
}
wanted() { check "$2: $code" test "$code" -eq "$1"; }
out() { grep -qF -e "$1" "$dir/out"; }
line() { grep -qE -e "$1" "$dir/out"; }
err() { grep -qF -e "$1" "$dir/err"; }

run 'GET http://shop.example.org/cart?id=1' --server-answers 200 -H 'Server: x'
wanted 0 "a request"
check "the listener" line '^ +14 \+ bind :80$'
check "a rule with its line" line '^ +21 \+ http-request set-header X-Client %\[src\]$'
check "its value" out "src = 198.51.100.7"
check "what it did" out "+ X-Client: 198.51.100.7"
check "the entry of a map" out "matches '/cart', which gives 'shopping'"
check "a variable" out "txn.kind := shopping"
check "the backend and why" line '^backend shop, by use_backend +shop.cfg:23$'
check "an ACL by name" out "acl is_shop: yes"
check "the server, whose name nobody was asked for" out "-> s1  shop1.nowhere.invalid:8080  weight 10  up"
check "who would be next" out "if s1 were down: s2"
check "what the server gets" out "GET /cart?id=1 HTTP/1.1"
check "what a rule took from the answer" out "- Server: x"
check "the line of the log" grep -qE ' www shop/s1 [0-9/]+ 200 .*"GET /cart\?id=1 HTTP/1\.1"' "$dir/out"
check "rules that do not hold are counted" out "did not hold: see -v"
check "no colour in a file" sh -c '! grep -q "$(printf "\033")" "$1"' sh "$dir/out"
run -v http://shop.example.org/ --colour
check "-v: rules that do not hold" grep -qE '^.*20.* - .*http-request deny' "$dir/out"
check "colour where it is asked for" grep -q "$(printf '\033')" "$dir/out"

run http://x.example.org/admin/x --expect status=403 --expect end=PR --expect backend= --expect 'log~ 403 '
wanted 0 "denied, as expected"
run http://x.example.org/admin --from 10.1.1.1 --expect status=403 --expect backend=shop
wanted 1 "not as expected"
check "what differs" err "expected status=403, but it is '200'"
check "what differs, too" err "expected backend=shop, but it is 'app'"
run http://x.example.org/ --from 203.0.113.9
check "refused before a request" out "the connection is closed before a request"
check "by its rule" line '^ +18 \+ tcp-request connection reject .*-> reject$'
run 'http://x.example.org/?which=two' --expect server=a2
wanted 0 "use-server"
check "use-server says so" line '^server, by use-server'
run http://x.example.org/slow --expect status=500 --expect end=PT
wanted 0 "a tarpit takes no time"
check "but tells of it" out "ms pass in waits"
run http://shop.example.org/ --to 192.0.2.1:81 --from 198.51.100.9:1234 --expect 'request-header x-client=198.51.100.9'
wanted 0 "behind a PROXY header"
run http://shop.example.org/ --down s1 --expect server=s2
wanted 0 "with a server that is down"
run http://shop.example.org/ --down s1 --down s2 --expect status=503 --expect end=SC
wanted 0 "with none left"
run http://x.example.org/ --set txn.kind=seven --set sess.n=7 --expect 'var txn.kind=other'
wanted 0 "--set, until a rule sets it"
printf 'hello' >"$dir/body"
run POST http://x.example.org/ --body "$dir/body" --cookie a=b --cookie c=d \
	--expect 'request-header content-length=5' --expect 'request-header cookie=a=b; c=d'
wanted 0 "body and cookies"
run /path --http 1.0 --frontend www --expect backend=app
wanted 0 "no host"

run http://x.example.org/ --format json
check "JSON, which others can read" python3 -c '
import json, sys
j = json.load(open(sys.argv[1]))
assert j["frontend"] == "www" and j["backend"] == "app" and j["server"] == "a1" and j["status"] == 200, j
kinds = [e["type"] for e in j["told"]]
assert kinds[0] == "section" and "backend" in kinds and "servers" in kinds and "message" in kinds, kinds
rules = [r for e in j["told"] if e["type"] == "section" for r in e["children"] if r["type"] == "rule"]
assert any(r["source"].startswith("http-request set-header") and r["held"] == "yes" for r in rules), rules
' "$dir/out"

run 'GET foo'
wanted 2 "no URL"
check "says so" err "neither a URL"
run http://shop.example.org:99999/
wanted 2 "a port that is none"
check "it is named" err "'99999' is no port"
run http://[::1]:80/
wanted 0 "an address of IPv6 and a port"
run http://x.example.org/ --body "$dir"
wanted 2 "a folder for a body"
check "it is said" err "is a folder"
run http://x.example.org/ --http 3
wanted 2 "HTTP/3"
check "what there is" err "1.0, 1.1 or 2 is expected"
run http://shop.example.org/ --down s1
check "a server that is asked over TLS" line '^request to s2 \(it would go over TLS'
run http://x.example.org/ --server-answers 200
check "and one that is not" line '^request to a1$'
run http://x.example.org/h2
check "and one by HTTP/2" line '^request to a3 \(it would go as HTTP/2\)$'
run http://x.example.org/ --nope
wanted 2 "an unknown option"
run http://x.example.org/ --expect colour=red
wanted 2 "an expectation of nothing"
run http://x.example.org/ --set nope=1
wanted 2 "a variable without scope"
run http://x.example.org/ --down nobody
wanted 2 "a server that is not there"
run http://x.example.org/ --to 192.0.2.9:9999
wanted 2 "nothing listens there"
check "what does" err "192.0.2.1:81 (www)"
"$PENSTOCK" explain -f /dev/null http://x.example.org/ >/dev/null 2>"$dir/err"
code=$?
wanted 2 "nothing listens at all"

# TLS of a bind line is real: the name, the certificate, that of the client.
if command -v openssl >/dev/null && ! "$PENSTOCK" -vv | grep -q "Built without OpenSSL"; then
	for who in site client; do
		openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=$who.test" \
			-keyout "$dir/$who.key" -out "$dir/$who.crt" 2>/dev/null
		cat "$dir/$who.crt" "$dir/$who.key" >"$dir/$who.pem"
	done
	mv "$dir/shop.cfg" "$dir/first.cfg"
	cat >"$dir/shop.cfg" <<END
defaults
	mode http
	timeout connect 5s
	timeout client 30s
	timeout server 30s
frontend www
	bind :443 ssl crt $dir/site.pem ca-file $dir/client.crt verify required
	http-request set-header X-Name %[ssl_fc_sni]/%[ssl_c_s_dn(cn)]
	default_backend app
backend app
	server a1 10.0.0.9:80
END
	run https://shop.example.org:443/ --cert "$dir/client.pem" \
		--expect 'request-header x-name=shop.example.org/client.test'
	wanted 0 "TLS with the client's certificate"
	check "the server's certificate" out "certificate CN = site.test"
	run https://shop.example.org/ --expect status=
	wanted 0 "TLS without the client's certificate"
	check "the handshake fails" out "the handshake fails: "
	run https://shop.example.org/ --cert "$dir/site.crt"
	wanted 2 "a certificate without key"
	mv "$dir/first.cfg" "$dir/shop.cfg"
fi

# No system call that opens a socket, whoever asks.
if strace -o /dev/null true 2>/dev/null; then
	strace -f -o "$dir/calls" -e trace=network,openat,execve \
		"$PENSTOCK" explain -f "$dir/shop.cfg" http://shop.example.org/cart >/dev/null 2>&1
	check "strace saw it" grep -q shop.cfg "$dir/calls"
	check "no socket is opened" sh -c '! grep -E "(socket|socketpair|connect|bind|sendto|recvfrom)\(" "$1"' sh "$dir/calls"
else
	say "no strace: that no socket is opened was not looked at"
fi
finish
