#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Scripts while there are no descriptors, while the clock of the system jumps, and in a storm of
# signals: each costs what it has to, and nothing else.
. "${0%/*}/../lib.sh"

"$PENSTOCK" -vv | grep -q '+LUA' || { say "this build has no Lua"; exit 77; }
command -v python3 >/dev/null || { say "needs python3"; exit 77; }
SILENT=$(ports 1)
export SILENT
configured() {
	{
		printf '%s\tlua-load %s\n' "$1" "$srcdir/reg-tests/lua/hard_times.lua"
		http_defaults
		printf 'frontend fe\n\tbind %s\n' "$front"
		for name in open release leave sleep socket work ticks; do
			printf '\thttp-request lua.%s if { path /%s }\n' "$name" "$name"
		done
		printf '\thttp-request return status 200 content-type text/plain lf-string "%%[var(req.said)]"\n'
	} | config
}

say "## no descriptors"
configured '	maxconn 20
'
limited="$dir/limited"
printf '#!/bin/sh\nulimit -n 150\nexec "$@"\n' >"$limited"
chmod +x "$limited"
run_as=$limited
start_penstock
driver "$srcdir/reg-tests/lua/hard_times.py" descriptors --silent "$SILENT" || fail "descriptors"
stop_penstock
run_as=

if sanitized || [ -e "$shim" ]; then
	say "## the clock jumps"
	configured ''
	export SHIM_CLOCK="$dir/ahead"
	head -c 8 /dev/zero >"$SHIM_CLOCK"
	start_penstock
	driver "$srcdir/reg-tests/lua/hard_times.py" clock --silent "$SILENT" --ahead "$dir/ahead" || fail "the clock"
	stop_penstock
	unset SHIM_CLOCK
fi

say "## signals"
configured '	nbproc 2
'
start_workers
driver "$srcdir/reg-tests/lua/hard_times.py" signals --silent "$SILENT" || fail "signals"
finish
