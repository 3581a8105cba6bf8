#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The script of the stats page, in a browser: numbers change in place, and what was ticked, chosen,
# typed or sorted stays; once the program has gone the page says that its numbers are old.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
	{ say "needs chromium"; exit 77; }
{
	http_defaults
	cat <<END
frontend web
	bind $front
	stats enable
	stats uri /s
	stats refresh 1s
	stats admin if TRUE
	http-request return status 200 if { path /hit }
	default_backend app
backend app
	server a 127.0.0.1:1
	server b 127.0.0.1:2 disabled
	server c $back
END
} | config
start_penstock
python3 "${0%/*}/live.py" "$browser" "http://$front" "$dir" "$pid" >"$dir/live" 2>&1
[ $? -ne 77 ] || { cat "$dir/live"; exit 77; }
cat "$dir/live"
check "the page lives" sh -c '! grep -q "^FAILED" "$1" && grep -q "^ok" "$1"' sh "$dir/live"
wait "$pid" 2>/dev/null
pid=
finish
