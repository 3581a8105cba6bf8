#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# WebSocket over HTTP/2 (RFC 8441) to a server of HTTP/1, and CONNECT: bytes pass both ways as they
# are, up to the end of either side. h2-workaround-bogus-websocket-clients does not offer it. A
# request whose fields are too large is answered with 431, and logged.
. "${0%/*}/../lib.sh"
# websocket LINES-OF-GLOBAL TEST
websocket() {
	{
		printf '%s\n' "$1"
		http_proxy "" "" "" | sed "s/bind $front/& proto h2\n\tlog stderr local0\n\tlog-format \"logged %ST %tsc %{+Q}r\"/"
	} | config
	start_penstock
	driver "$srcdir/reg-tests/h2/websocket.py" --test "$2" || failures=1
	[ "$2" != offered ] || check "the log tells of it" until_true 60 grep -q 'logged 431 PR-- "<BADREQ>"' "$log"
	stop_penstock
}
websocket "" offered
websocket "	h2-workaround-bogus-websocket-clients" withheld
finish
