#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A HEAD that a rule has made GET: no byte of the body reaches the client, which may go on asking.
# Of a small body that comes at once behind the head the rest is read away, and the server's
# connection is kept; where it is large, wrong, cut short or does not end, the connection is closed.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
http_proxy "http-reuse always" "" "http-request set-method GET" | config
start_penstock
driver "${0%/*}/head_made_get.py" || failures=1
stop_penstock
finish
