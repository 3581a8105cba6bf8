#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# When the n-th allocation of a check over HTTP/2 fails, for every n, the check does, the next one
# does not, and the server stays up: it could not help.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
[ "$PENSTOCK" != haproxy ] || { say "the reference cannot fail at the n-th"; exit 77; }
# nth: allocations are counted down in its first bytes.
head -c 8 /dev/zero >"$dir/nth"
config <<END
$(http_defaults)
	timeout check 1m
	option log-health-checks
	option grpc-check
backend be
	server s1 $back check inter 200ms fall 1 rise 1
END
start_penstock -dMfail:"$dir/nth"
driver "$srcdir/reg-tests/check/http2_no_memory.py" --nth "$dir/nth" || failures=1
check "no check has brought it down" sh -c "! grep 'check for .* DOWN' $log | grep -v 'Connection refused'"
check "some have failed for lack of memory" grep -q "failed, reason: Socket error, info: .General socket error (Cannot allocate memory)" "$log"
finish
