#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What went wrong for others when bodies of HTTP went through pipes: see pipes.py. In each way to
# move bytes; afterwards no pipe is in use, and where splicing was asked for it has been done.
. "${0%/*}/../lib.sh"
proxy=http_proxy
proxy_lines="option contstats"

command -v python3 >/dev/null || { say "python3 is not installed"; exit 77; }
pipes() {
	timeout 250 python3 "$srcdir/reg-tests/http/pipes.py" "$front" "$back" "$pid" "$stats" ||
		fail "bodies, $way"
	until_true 10 pipes_free
	exactly PipesUsed 0
	check "no stream is left" until_true 10 streams_gone
	case $way in
	splice) at_least BytesSpliced 10000000 ;;
	copy) exactly BytesSpliced 0 ;;
	esac
}
streams_gone() { ! ask "show sess" | grep -q " fe=fe "; }
pipes_free() { [ "$(info PipesUsed)" = 0 ]; }
each_way pipes
finish
