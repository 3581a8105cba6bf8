#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Requests, words and files that are wrong are told with what is expected, exit code 2; what is
# strange but whole is explained: bytes in the target, a head larger than the buffer, ten thousand
# rules; more rules than a trace of a process that serves has memory for.
. "${0%/*}/../lib.sh"

cat >"$dir/site.cfg" <<'END'
defaults
	mode http
	timeout connect 5s
	timeout client 5s
	timeout server 5s
frontend web
	bind 127.0.0.1:8080
	default_backend site
backend site
	server a 127.0.0.1:8081
END
awk 'BEGIN { for (i = 0; i < 10000; i++) printf "\thttp-request set-header X-%d a if { path /%d }\n", i, i }' \
	>"$dir/rules"
sed "/bind/r $dir/rules" "$dir/site.cfg" >"$dir/many.cfg"
url=http://127.0.0.1:8080/

# explained CODE WORDS...
explained() {
	wanted=$1
	shift
	timeout 60 "$PENSTOCK" explain -f "$dir/site.cfg" "$@" >"$dir/out" 2>&1
	test $? -eq "$wanted"
}

# refused TEXT WORDS...: exit code 2, and the message has the text.
refused() {
	text=$1
	shift
	{ explained 2 "$@" && grep -qF -- "$text" "$dir/out"; } || {
		fail "$text"
		head -n 5 "$dir/out"
		return
	}
	pass "refused: $text"
}

refused "is neither a URL" ""
refused "names no host" http://
refused "the ']' behind the address is missing" 'http://[::1/'
refused "http:// or https:// is expected" ftp://127.0.0.1/
refused "a URL or a path is expected" GET
refused "WHAT=VALUE, WHAT!=VALUE or WHAT~PART is expected" "$url" --expect status
refused "can be expected" "$url" --expect colour=red
refused "can be expected" "$url" --expect =1
refused "'NAME: VALUE' is expected" "$url" -H nocolon
refused "'$dir/none': No such file" "$url" --body "$dir/none"
refused "'$dir/none': No such file" "$url" --bytes "$dir/none"
refused "1.0, 1.1 or 2 is expected" "$url" --http 9

check "a request line with more words is answered with 400" explained 0 'GET /a b c' --expect status=400
check "bytes that no target has: 400" explained 0 "$(printf 'GET /\001\377')" --expect status=400
head -c 40000 /dev/zero | tr '\0' a >"$dir/long"
check "a head larger than the buffer: 431" explained 0 "$url" -H "X: $(cat "$dir/long")" --expect status=431
timeout 60 "$PENSTOCK" explain -f "$dir/many.cfg" "${url}77" --expect 'request-header x-77=a' >"$dir/out" 2>&1
check "ten thousand rules" test $? -eq 0
check "those that did not hold are two lines, around the one that did" \
	test "$(grep -c 'rules did not hold' "$dir/out")" -eq 2

# A trace of a process that serves has less memory.
{
	sed -n 1,5p "$dir/site.cfg"
	echo "frontend web"
	echo "	bind $front"
	awk 'BEGIN { for (i = 0; i < 25000; i++)
		printf "\thttp-request set-header X-%d a if { path /%d }\n", i, i }'
	echo "	http-request return status 200"
} | config
start_penstock
driver "$srcdir/reg-tests/explain/attack.py" || failures=$((failures + 1))
finish
