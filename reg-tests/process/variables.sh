#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Variables of the process that rules set and unset are the same in all workers a moment later; one
# that is set for each request costs the parent little; workers that are killed change nothing; a
# reload begins anew, and old workers keep what they have.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
http_config "nbproc 4" "set-var proc.file int(1)" <<END
frontend fe
	bind $front
	http-request set-var(proc.x) url_param(x) if { url_param(x) -m found }
	http-request set-var(proc.file) url_param(file),add(0) if { url_param(file) -m found }
	http-request unset-var(proc.x) if { path /unset }
	http-request set-var(proc.each) uuid if { path /each }
	http-request wait-for-body time 1m if { path /slow }
	http-request return status 200 content-type text/plain lf-string "%[proc] %[var(proc.x)] %[var(proc.file)]"
END
start_workers
driver "${0%/*}/variables.py" || fail "variables"
finish
