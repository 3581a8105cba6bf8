#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# penstock explain shows lines that are no rules with their text, what they found and what they did:
# stick, force-persist, ignore-persist, monitor fail, monitor-uri, stats admin. Each stands once,
# and where it belongs.
. "${0%/*}/../lib.sh"

cat >"$dir/site.cfg" <<'END'
defaults
	mode http
	timeout connect 5s
	timeout client 30s
	timeout server 30s
frontend www
	bind :80
	monitor-uri /alive
	monitor fail if { nbsrv(app) lt 9 } !{ path /never }
	http-request early-hint Link </a.css> if { path /hint }
	use_backend page if { path_beg /stats }
	default_backend app
backend app
	stick-table type string len 20 size 1k expire 1m
	stick match cook(S)
	stick on hdr(x-on) if { path /on }
	stick store-request hdr(x-r)
	stick store-response res.hdr(x-s)
	force-persist if { path /force }
	ignore-persist if { path_beg /ign }
	use-server s2 if { src 10.0.0.0/8 }
	http-request set-header X-A b
	cookie C insert
	server s1 192.0.2.1:80 cookie a
	server s2 192.0.2.2:80 cookie b
backend page
	stats enable
	stats uri /stats
	stats admin if { src 10.0.0.0/8 }
END

run() {
	"$PENSTOCK" explain -f "$dir/site.cfg" "$@" >"$dir/out" 2>&1 </dev/null
	code=$?
}
out() { grep -qF -e "$1" "$dir/out"; }
found_times() { [ "$(grep -cF -e "$2" "$dir/out")" -eq "$1" ]; }
# part TITLE: what stands below it, up to the next empty line, in $dir/part.
part() { awk -v title="$1" 'index($0, title) == 1 { f = 1 } !NF { f = 0 } f' "$dir/out" >"$dir/part"; }
# below LINE WHAT: in that part, before the next line of the file.
below() { awk -v line="$1" -v what="$2" '
	/^ +[0-9]+ [-+.?] / { f = index($0, line) > 0 }
	f && index($0, what) { found = 1 }
	END { exit !found }' "$dir/part"; }

run http://a/x --cookie S=1 --server-answers 200 -H 'x-s: abc'
part "backend app, by default_backend"
check "stick match: its key" below "15 + stick match cook(S)" "cook(S) = 1"
check "and that there is no entry" below "15 + stick match cook(S)" "no entry in table: app"
part "backend app, rules about the response"
check "stick store-response: its key" below "18 + stick store-response res.hdr(x-s)" "res.hdr(x-s) = abc"
check "and what becomes of it" below "18 + stick store-response" "noted in table: app"
check "a key that is not there: counted" out "did not hold: see -v"
run -v http://a/on -H 'x-on: 1'
part "backend app, by default_backend"
check "stick on, with a condition" below "16 + stick on hdr(x-on) if { path /on }" "matches '/on'"
check "looks" below "16 + stick on" "no entry in table: app"
check "and notes" below "16 + stick on" "noted in table: app"
check "a line without key" below "15 - stick match" "cook(S) finds nothing"
run http://a/ -H 'x-r: 9'
part "backend app, by default_backend"
check "stick store-request" below "17 + stick store-request hdr(x-r)" "noted in table: app"
run http://a/force
part "backend app, by default_backend"
check "force-persist" below "19 + force-persist if { path /force }" "matches '/force'"
check "one of them is enough" found_times 0 "ignore-persist"
run -v http://a/ignored
part "backend app, by default_backend"
check "force-persist, which does not hold" below "19 - force-persist" "{ }: no"
check "ignore-persist" below "20 + ignore-persist" "matches '/ign'"
run -v http://a/ --from 10.1.1.1 --expect server=s2
check "use-server decides: $code" test $code -eq 0
check "its line stands once" found_times 1 "use-server s2 if"
run http://a/hint
part "frontend www"
check "early-hint" below "10 + http-request early-hint" "status 103: Link: </a.css>"
check "its answer is the first" out "HTTP/1.1 103 Early Hints"
run http://a/alive --expect status=503
check "monitor-uri: $code" test $code -eq 0
part "frontend www"
check "monitor fail" below "9 + monitor fail" "nbsrv(app) = 2"
check "a number as it was written" below "9 + monitor fail" "matches 'lt 9'"
check "monitor-uri answers" below "8 + monitor-uri /alive" "answered at once: 503"
run -v http://a/stats --from 10.1.1.1
check "stats admin" out "+ stats admin if { src 10.0.0.0/8 }"
finish
