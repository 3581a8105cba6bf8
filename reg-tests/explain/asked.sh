#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What penstock explain and penstock test are asked with: addresses, names and passwords of URLs,
# options that contradict each other, bytes that are no text, files beside a file of cases, mistakes
# with what was meant.
. "${0%/*}/../lib.sh"

cat >"$dir/site.cfg" <<'END'
defaults
	timeout connect 5s
	timeout client 30s
	timeout server 30s
frontend web
	mode http
	bind :80
	bind [2001:db8::80]:80
	http-request set-header X-Src %[src]
	default_backend app
backend app
	mode http
	server a1 [2001:db8::21]:8080
listen bytes
	mode tcp
	bind :1000
	server b1 10.0.0.2:1000
END

run() {
	"$PENSTOCK" explain -f "$dir/site.cfg" "$@" >"$dir/out" 2>"$dir/err" </dev/null
	code=$?
}
cases() { (cd "$dir" && "$PENSTOCK" test "$@") >"$dir/out" 2>"$dir/err" </dev/null; code=$?; }
wanted() { check "$2: $code" test "$code" -eq "$1"; }
out() { grep -qF -e "$1" "$dir/out"; }
err() { grep -qF -e "$1" "$dir/err"; }

run http://a/ --from 2001:db8::1 --expect 'request-header x-src=2001:db8::1'
wanted 0 "--from an address of IPv6"
check "shown in brackets, with its port" out "from [2001:db8::1]:40000 to 192.0.2.1:80"
check "that of a server, too" out "-> a1  [2001:db8::21]:8080"
run http://a/ --from '[2001:db8::1]:5' --to '[2001:db8::80]:80'
check "with a port" out "from [2001:db8::1]:5 to [2001:db8::80]:80"
run http://user:p%40ss@a/ --expect 'request-header host=a' --expect 'request-header authorization=Basic dXNlcjpwQHNz'
wanted 0 "user and password of a URL, as browsers send them"
run http://user@a:80/ -H 'Authorization: Bearer x' --expect 'request-header host=a:80' \
	--expect 'request-header authorization=Bearer x'
wanted 0 "a header that is given counts"
run http://a/ -H 'Connection: Upgrade' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 13' \
	-H 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==' --server-answers 101 --expect status=101 --expect end=--
wanted 0 "a server that switches protocols"
for version in 1.1 2; do
	run 'CONNECT h:18080' --http $version --expect 'request-header host=h:18080'
	wanted 0 "CONNECT names its host by its target, HTTP $version"
done
run http://a/ --server-answers 102
wanted 2 "another status below 200"
check "which there are" err "101 or a status from 200 to 999"
run http://a/ --frontend wbe
wanted 2 "a frontend that is not there"
check "it is said, and which is meant" err "there is no frontend 'wbe'; did you mean 'web'?"
run http://a/ --frontend quite-another
check "or not" err "there is no frontend 'quite-another'"
run http://a/ --form 192.0.2.1
wanted 2 "an option with a slip"
check "what is meant" err "did you mean '--from'"
printf '\026\003\377\303\244\n' >"$dir/bytes"
run --to 192.0.2.1:1000 --bytes "$dir/bytes" --hello
wanted 2 "--bytes and --hello"
check "exclude each other" err "--bytes and --hello exclude each other"
run http://a/ --alpn h2
check "--alpn alone" err "there is no ClientHello"
run http://a/ --cert "$dir/bytes"
wanted 2 "--cert without TLS"
check "is an error" err "the bind line that is reached has no TLS (site.cfg:7)"
run http://a:1000/
wanted 0 "a URL to a line of mode tcp"
check "it is said" out "mode tcp: it passes as bytes, which no rule about requests sees"
run http://a/
check "not where it is a request" eval '! out "mode tcp"'
run
check "no request" out "a connection without a request"
run --to 192.0.2.1:1000 --bytes "$dir/bytes"
wanted 0 "bytes"
check "as text" out '\x16\x03\xffä'
check "all of it is UTF-8" python3 -c 'open(__import__("sys").argv[1], encoding="utf-8").read()' "$dir/out"
check "if it were down" out "if b1 were down: no server: the connection is closed (SC)"

mkdir "$dir/cases"
printf 'hello' >"$dir/cases/body"
cat >"$dir/cases/a.cases" <<'END'
file ../site.cfg
POST http://a/ --body body --expect 'request-header content-length=5'
END
cases cases
wanted 0 "files stand beside the file of cases"
mkdir "$dir/cases/sub" "$dir/cases/sub/pages"
cat >"$dir/cases/sub/more.cfg" <<'END'
frontend more
	mode http
	bind :81
	http-request return status 200 content-type text/plain file pages/a
END
printf 'a page' >"$dir/cases/sub/pages/a"
cat >"$dir/cases/sub/f.cases" <<'END'
file ../../site.cfg
http://a:81/ -f more.cfg -C . --expect frontend=more --expect status=200
http://a:80/ -f ../nosuch.cfg --expect frontend=web
END
for from in . cases cases/sub /; do
	(cd "$dir/$from" && "$PENSTOCK" test "$dir/cases/sub/f.cases") >"$dir/out" 2>&1 </dev/null
	check "-f and -C of a case are relative to its file, read in $from" out "2 cases, 0 failed, 1 broken"
	check "so is what cannot be read" out "cannot read '$dir/cases/sub/../nosuch.cfg'"
done
cases cases/sub/f.cases
check "by a relative name, too" out "2 cases, 0 failed, 1 broken"
check "and so is its name" out "cannot read 'cases/sub/../nosuch.cfg'"
cases -q cases
check "-q: one line is left" test "$(cat "$dir/out")" = "1 case, 0 failed, 0 broken"
cat >"$dir/far.cases" <<'END'
file site.cfg
GET https://a/ --expect backend=app
GET https://a/ --frontend web --expect backend=app
GET http://a:8080/ --expect backend=app
GET https://a:80/ --expect backend=app
GET http://a:8080/ --to 192.0.2.1:80 --expect backend=app
GET /x --expect backend=app
END
cases far.cases
wanted 2 "a case that reaches a listener by chance"
check "no port" out "no bind line has port 443: --to or --frontend says which one is meant"
check "no TLS" out "the bind line with port 80 speaks no TLS"
check "the others are right" out "6 cases, 0 failed, 3 broken"
cases
wanted 2 "test without a file"
check "how it is used" err "no file of cases is given: penstock test FILE|FOLDER..."
cases --nope far.cases
wanted 2 "an unknown option of test"
check "which one there is" out "'--nope' is no option of test: there is -q"
cases -Q far.cases
check "the nearest one" out "'-Q' is no option of test; did you mean '-q'?"
cases --expct far.cases
check "the nearest one of explain" out "did you mean '--expect'? It belongs to a case, in its file"
cases --format far.cases
check "one of explain" out "'--format' is an option of explain: it belongs to a case, in its file"
printf '\357\273\277file site.cfg\n' >"$dir/bom.cases"
cases bom.cases
check "a byte order mark" out "bom.cases:1: it begins with a byte order mark (BOM)"
printf 'fil site.cfg\n' >"$dir/fil.cases"
cases fil.cases
check "a slip" out "fil.cases:1: 'fil': did you mean 'file'?"
finish
