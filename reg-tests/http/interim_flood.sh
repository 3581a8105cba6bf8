#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A server that says 1xx again and again does not keep other clients waiting: what it says in a turn
# is bounded. The program sleeps while both a thousand 103 and another client's request arrive; the
# other client is served first.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "python3 is not installed"; exit 77; }
{
	printf '\tlog stdout format raw local0\n'
	http_defaults
	cat <<END
	log global
	log-format "%HU %B"
frontend fe
	bind $front
	http-request return status 200 if { path_beg /other }
	default_backend be
backend be
	server s1 $back
END
} | config
start_penstock
timeout 100 python3 "${0%.sh}.py" "${front##*:}" "${back##*:}" "$pid" || fail "1xx"
until_true 30 grep -q '^/flooded' "$log"
check "the other client was served first" test "$(grep -n '^/other/late' "$log" | cut -d: -f1)" -lt \
	"$(grep -n '^/flooded' "$log" | cut -d: -f1)"
finish
