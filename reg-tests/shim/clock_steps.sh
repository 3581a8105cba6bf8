#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The clock of the system is set, a day ahead, ten years back, beyond 2038: nothing that waits or
# counts notices, in workers, their parent, and a single process.
. "${0%/*}/../lib.sh"

export SHIM_CLOCK="$dir/ahead"
head -c 8 /dev/zero >"$SHIM_CLOCK"

# judge LINES-OF-GLOBAL ARGUMENTS-OF-THE-TEST -- ARGUMENTS-OF-PENSTOCK
judge() {
	{
		printf '\t%s\n' "$1"
		http_proxy "timeout http-request 1s
	timeout http-keep-alive 2m
	log stdout format raw local0
	log-format Ta=%Ta:Tt=%Tt:end" "check inter 100ms fall 50" "option httpchk" |
			sed "s|bind .*|&\n\thttp-request return status 200 content-type text/plain lf-string %[date] if { path /date }|"
	} | config
	head -c 8 /dev/zero >"$SHIM_CLOCK"
	start_penstock ${3:-}
	python3 "${0%.sh}.py" --front "$front" --back "$back" --stats "$stats" \
		--ahead "$SHIM_CLOCK" --log "$log" $2 || failures=$((failures + 1))
	stop_penstock
}

say "## one process"
judge "nbproc 1" ""
say "## workers"
judge "nbproc 2" "--parent $dir/parent.sock" "-W -S $dir/parent.sock"
finish
