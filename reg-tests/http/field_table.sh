#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Fields that mean more than their text (doc/internals/http.md), each way in which rules, Lua's
# functions and filters change them: what reaches the server, and what the client gets, by HTTP/1
# and HTTP/2. Beside the reference, version 2.8, where REFERENCE names one; rows say where that
# makes something else.
. "${0%/*}/../lib.sh"

walk() {
	config <"$dir/table.cfg"
	if [ "$1" = theirs ]; then
		ours=$PENSTOCK
		PENSTOCK=$REFERENCE
	fi
	start_penstock
	driver "${0%/*}/field_table.py" "$1" || failures=1
	stop_penstock
	[ "$1" = ours ] || PENSTOCK=$ours
}

driver "${0%/*}/field_table.py" write >"$dir/table.cfg"
if "${REFERENCE:-false}" -v 2>/dev/null | grep -q 'version 2\.8' && ! sanitized; then
	walk theirs
fi
walk ours
finish
