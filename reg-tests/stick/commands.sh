#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The commands on stick tables answer what the reference has answered (answers.txt), alone and with
# workers, whichever of them is asked, but for what deviations.txt says; where HAProxy 2.6 is at
# hand, answers.txt is what it answers now.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || exit 77
here=$(cd "$srcdir/reg-tests/stick" && pwd)

# serve PROGRAM NAME CONFIGURATION: on the socket $dir/NAME.
serve() {
	SOCK=$dir/$2 PORT=$(ports 1) "$1" -db -f "$3" >"$dir/$2.log" 2>&1 &
	children="$children $!"
	until_true 60 "$tool" -s "$dir/$2" ask "show info" || fail "$1 does not start"
}

serve "$PENSTOCK" alone "$here/tables.cfg"
check "alone" python3 "$here/tables.py" compare "$dir/alone"
sed '/^# /d; s/^global/&\n\tnbproc 4/' "$here/tables.cfg" >"$dir/workers.cfg"
serve "$PENSTOCK" workers "$dir/workers.cfg"
check "with workers" python3 "$here/tables.py" compare "$dir/workers"
if haproxy -v 2>/dev/null | grep -q 'version 2\.6'; then
	serve haproxy reference "$here/tables.cfg"
	check "the reference itself" python3 "$here/tables.py" compare "$dir/reference" answers.txt
fi
[ "$failures" -eq 0 ]
