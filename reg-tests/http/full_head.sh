#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Heads that fill a buffer to its last bytes: the chunks of the body, and the last one, find their
# way past them in both directions.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
{
	printf '\ttune.maxrewrite 0\n\ttune.bufsize 16384\n'
	http_proxy
} | config
start_penstock
timeout 100 python3 "${0%.sh}.py" "${front##*:}" "${back##*:}" || fail "see above"
stop_penstock
finish
