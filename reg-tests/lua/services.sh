#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Services that are scripts: whatever the client does, the script waits or is over, and holds nobody
# up: clients that leave at every step, one that reads nothing, a thousand scripts that wait.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
"$PENSTOCK" -vv 2>/dev/null | grep -qi '^ *lua.*yes\|lua *yes' || "$PENSTOCK" help lua >/dev/null 2>&1 || {
	say "built without Lua"; exit 77; }
[ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge 8192 ] || { say "too few descriptors"; exit 77; }
ulimit -n 8192
SILENT=$(ports 1)
export SILENT
{
	printf '\tmaxconn 3000\n\tlua-load %s\n' "$srcdir/reg-tests/lua/services.lua"
	http_defaults
	printf 'frontend fe\n\tbind %s\n' "$front"
	for name in steps endless wait_time wait_body wait_socket state keep use_kept hostile; do
		printf '\thttp-request use-service lua.%s if { path /%s }\n' "$name" "$name"
	done
	printf 'frontend plain\n\tmode tcp\n\tbind %s\n\ttcp-request content use-service lua.t_steps\n' "$back"
} | config
start_penstock
driver "$srcdir/reg-tests/lua/services.py" --bytes "$back" --silent "$SILENT" || fail "services"
finish
