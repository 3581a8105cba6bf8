#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# When a flood of unfinished requests has passed, most of its memory goes back to the system; with
# no-memory-trimming it stays. No unfinished request holds more than 12 kB.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
sanitized && { say "a sanitizer gives nothing back"; exit 77; }
[ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge 4096 ] || { say "too few descriptors"; exit 77; }
ulimit -n 4096
for words in "" no-memory-trimming "tune.buffers.reserve 8"; do
	say "## ${words:-trimming}"
	{
		printf '\tmaxconn 1600\n\t%s\n' "$words"
		http_defaults
		printf 'frontend fe\n\tbind %s\n\thttp-request return status 200\n' "$front"
	} | config
	start_penstock
	driver "${0%.sh}.py" "$words" || fail "memory of a flood"
	stop_penstock
done
finish
