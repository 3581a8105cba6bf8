#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# SIGTERM and SIGUSR1 with a stream of HTTP/2 that was answered before its request had ended, and is
# waited for a moment (RFC 9113 8.1): the process ends as it does without.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || exit 77
for signal in TERM USR1; do
	config <<END
	hard-stop-after 1ms
$(http_defaults)
frontend fe
	bind $front proto h2
	http-request return status 200 content-type text/plain string early
END
	start_penstock
	driver "${0%/*}/stop_lingering.py" || failures=1
	kill -"$signal" "$pid"
	wait "$pid"
	status=$?
	check "SIG$signal: status $status" test "$status" -eq 0
	pid=
done
check "no word of a fault" sh -c "! grep -q BUG '$log'"
finish
