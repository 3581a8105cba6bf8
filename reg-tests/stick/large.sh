#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A large stick table is shown, searched and cleared in many short turns of the loop, with requests
# between them. ENTRIES=1000000 has more of them.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || exit 77
: "${ENTRIES:=100000}"
http_config <<END
frontend fe
	bind $front
	http-request return status 200
backend t
	stick-table type integer size $ENTRIES store gpc0,conn_rate(1h)
END
start_penstock
driver "$srcdir/reg-tests/stick/large.py" --entries "$ENTRIES" || failures=$((failures + 1))
finish
