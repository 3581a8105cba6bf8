#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# track-sc and what is counted in the entries that are followed, in sessions, streams, rules of
# responses and of backends, by exchanges that end in many ways: as the reference counts
# (track.txt), alone and with workers; where HAProxy 2.6 is at hand, track.txt is what it counts
# now.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || exit 77
here=$(cd "$srcdir/reg-tests/stick" && pwd)

# counts NAME PROGRAM [WORKERS]
counts() {
	mkdir -p "$dir/$1"
	python3 "$here/track.py" "$2" "$dir/$1" ${3-} >"$dir/$1/said" ||
		fail "$1: $(cat "$dir/$1/track.log")"
	check "$1" diff "$here/track.txt" "$dir/$1/said"
}

counts alone "$PENSTOCK"
counts workers "$PENSTOCK" 3
if haproxy -v 2>/dev/null | grep -q 'version 2\.6'; then
	counts reference haproxy
fi
[ "$failures" -eq 0 ]
