#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Words that have no effect beside others are said, as notices; a wrong name server is said once.
. "${0%/*}/../lib.sh"

cat >"$dir/cfg" <<'END'
defaults
	mode http
	timeout client 5s
	timeout server 5s
	timeout connect 5s
	retry-budget 20
frontend f
	bind 127.0.0.1:1
	http-request return status 200
frontend bytes
	mode tcp
	bind 127.0.0.1:2
	http-request deny
	default_backend relayed
backend relayed
	mode tcp
	server s1 127.0.0.1:1
backend a
	retries 0
	server s1 127.0.0.1:1
backend b
	no retry-budget
	retries 0
	timeout try 5s
	server s1 127.0.0.1:1
backend c
	timeout try 1s
	server s1 127.0.0.1:1
backend d
	timeout try 1s
	retry-on all-retryable-errors
	eject error-rate 50 time 10m
	added-servers keep
	balance static-rr
	server s1 127.0.0.1:1
END
said() { grep -qF "$1" "$log"; }
"$PENSTOCK" -c -f "$dir/cfg" >"$log" 2>&1
check "the configuration is valid" test $? -eq 0
check "a budget without retries" said "'retry-budget' has no effect in 'a': with 'retries 0'"
check "'no retry-budget' takes it back" test "$(grep -c "'retry-budget' has no effect" "$log")" -eq 1
check "a try as long as all" said "'timeout try' has no effect in 'b': 'timeout server' is not longer"
check "a try that none follows" said "'timeout try' ends requests in 'c', and none of them is tried again"
check "nothing of that where it is right" test "$(grep -c "'timeout try'" "$log")" -eq 2
check "an ejection longer than the longest" said "'max-time' of 'eject' is less than 'time'"
check "servers cannot be kept" said "'added-servers keep' has no effect in 'd': 'balance static-rr'"
check "rules of HTTP in mode tcp" said "'http-request' does nothing in 'bytes'"
check "which answer nobody" sh -c '! grep -q "answers all requests" "$1"' sh "$log"
printf 'resolvers r\n\tnameserver ns1 localhost\n' >"$dir/cfg"
"$PENSTOCK" -c -f "$dir/cfg" >"$log" 2>&1
check "a wrong name server is an error" test $? -eq 1
check "and said once" test "$(grep -c 'cfg:[0-9:]* \(error\|warning\)' "$log")" -eq 1
[ "$failures" -eq 0 ] || cat "$log"
finish
