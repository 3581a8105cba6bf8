#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# penstock explain shows what each action would do: lines that rules log, profiles of the log,
# waits, time limits and retries of one stream, connections that are dropped, names that nobody is
# asked for, changes of what any answer has.
. "${0%/*}/../lib.sh"

cat >"$dir/site.cfg" <<'END'
log-profile json
	on any format "%{+json}o %(c)ci %(m)HM"
	on http-req format "rule %[path]"
resolvers dns
	nameserver a 127.0.0.1:5353
defaults
	mode http
	timeout connect 5s
	timeout client 30s
	timeout server 30s
	log 192.0.2.200:514 local0
	option httplog
frontend www
	bind :80
	log 192.0.2.201:514 profile json local0
	http-request do-log if { path /dolog }
	http-request pause 2s if { path /pause }
	http-request set-timeout client 7s if { path /timeout }
	http-request silent-drop if { path /drop }
	http-request do-resolve(txn.ip,dns,ipv4) url_param(name) if { path /resolve }
	http-request set-priority-class int(5) if { path /first }
	http-request return status 200 content-type text/plain string x if { path /own }
	default_backend app
	http-response set-timeout client 3s if { status 404 }
	http-after-response set-header X-After yes
	http-after-response add-header X-After more
	http-after-response set-status 299 reason Odd if { status 204 }
	http-after-response replace-header Server (.*) my-\1
	http-after-response replace-value X-List a b
	http-after-response del-header X-Gone
	http-after-response set-var(txn.after) status
backend app
	retries 3
	http-request set-timeout server 9s
	http-request set-timeout tunnel int(500),add(500)
	http-request set-retries 1 if METH_GET
	http-request set-bc-tos 0x10 if METH_POST
	server a1 10.0.0.9:80
END

run() {
	"$PENSTOCK" explain -f "$dir/site.cfg" "$@" >"$dir/out" 2>&1 </dev/null
	code=$?
}
line() { grep -qE -e "$1" "$dir/out"; }
# under RULE LINE: this line stands somewhere below the rule, before the next one.
under() { awk -v rule="$1" -v line="$2" '
	/^ +[0-9]+ [-+.?] / { in_it = index($0, rule) > 0 }
	in_it && index($0, line) { found = 1 }
	END { exit !found }' "$dir/out"; }

run http://x/dolog
check "do-log: its line" under "do-log" 'log: 198.51.100.7:40000 '
check "do-log: that of a profile" under "do-log" 'log: rule /dolog'
check "all lines, in order" sh -c 'awk "/^log/ { f = 1; next } f" "$1" | awk "NR == 2 && /rule \/dolog/ { a = 1 }
	NR == 4 && /\"c\":\"198.51.100.7\",\"m\":\"GET\"/ { b = 1 } END { exit !(a && b && NR == 4) }"' sh "$dir/out"
run http://x/pause --expect server=a1 --expect 'log~ 2000/0/0/'
check "pause: $code" test $code -eq 0
check "pause waits" line 'http-request pause 2s if \{ path /pause \}   -> wait'
check "pause takes no time, but it is told" line '^ +2000 ms pass in waits'
check "the request goes on behind it" line '^request to a1$'
run http://x/timeout
check "set-timeout client" under "set-timeout client 7s" 'timeout client: 7000 ms   (was: 30000 ms)'
check "set-timeout server, of a backend" under "set-timeout server 9s" 'timeout server: 9000 ms   (was: 30000 ms)'
check "set-timeout tunnel, by an expression" under "set-timeout tunnel" 'timeout tunnel: 1000 ms   (was: for ever)'
check "set-retries" under "set-retries 1" 'retries: 1   (was: 3)'
run POST http://x/
check "set-bc-tos" under "set-bc-tos" 'tos of packets to the server: 16'
run http://x/first
check "set-priority-class" under "set-priority-class" 'class in queues: 5'
run http://x/ --server-answers 404
check "set-timeout by a response" under "http-response set-timeout" 'timeout client: 3000 ms   (was: 30000 ms)'
run http://x/drop --expect backend= --expect end=PR --expect status= --expect 'log~ -1 0 - - PR-- '
check "silent-drop: $code" test $code -eq 0
check "silent-drop says so" line 'http-request silent-drop if \{ path /drop \}   -> drop$'
run 'http://x/resolve?name=www.example.org'
check "do-resolve asks nobody" under "do-resolve" 'nobody is asked for names here'
run 'http://x/resolve?name=192.0.2.9'
check "do-resolve of an address" under "do-resolve" 'txn.ip := 192.0.2.9'
run http://x/ --server-answers 204 -H 'Server: nginx' -H 'X-Gone: y' -H 'X-List: a, c, a' \
	--expect status=299 --expect 'header server=my-nginx' --expect 'header x-gone=' \
	--expect 'header x-list=b, c, b' --expect 'var txn.after=299'
check "http-after-response: $code" test $code -eq 0
check "a header is set" under "http-after-response set-header" '+ X-After: yes'
check "a header is added" under "http-after-response add-header" '+ X-After: more'
check "the status" under "http-after-response set-status" 'status: 299   (was: 204)'
check "a header is replaced" under "http-after-response replace-header" 'Server: my-nginx   (was: nginx)'
check "values are replaced" under "http-after-response replace-value" 'X-List: b, c, b   (was: a, c, a)'
check "a header is taken out" under "http-after-response del-header" '- X-Gone: y'
check "a variable" under "http-after-response set-var" 'txn.after := 299'
run http://x/own --expect 'header x-after~yes' --expect backend=
check "http-after-response, of our own answer: $code" test $code -eq 0
run http://x/timeout --format json
check "JSON has it, too" python3 -c '
import json, sys
def all_of(entries):
    for e in entries:
        yield e
        yield from all_of(e.get("children", []))
notes = {(e["name"], e.get("value")) for e in all_of(json.load(open(sys.argv[1]))["told"]) if e["type"] == "note"}
assert ("retries", "1   (was: 3)") in notes, notes
' "$dir/out"
finish
