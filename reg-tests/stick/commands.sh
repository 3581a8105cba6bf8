#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The commands on stick tables, and the converters that look into them, answer what the reference
# has answered (answers.txt), alone and with workers, whichever of them is asked, but for what
# deviations.txt says; where HAProxy 2.6 is at hand, answers.txt is what it answers now.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || exit 77
here=$(cd "$srcdir/reg-tests/stick" && pwd)

# serve PROGRAM NAME CONFIGURATION: on the socket $dir/NAME and the port $port.
serve() {
	port=$(ports 1)
	SOCK=$dir/$2 PORT=$port "$1" -db -f "$3" >"$dir/$2.log" 2>&1 &
	children="$children $!"
	until_true 60 "$tool" -s "$dir/$2" ask "show info" || fail "$1 does not start"
}

python3 "$here/tables.py" config >"$dir/cfg"
serve "$PENSTOCK" alone "$dir/cfg"
check "alone" python3 "$here/tables.py" compare "$dir/alone" "$port"
sed '/^# /d; s/^global/&\n\tnbproc 4/' "$dir/cfg" >"$dir/workers.cfg"
serve "$PENSTOCK" workers "$dir/workers.cfg"
check "with workers" python3 "$here/tables.py" compare "$dir/workers" "$port"
if haproxy -v 2>/dev/null | grep -q 'version 2\.6'; then
	serve haproxy reference "$dir/cfg"
	check "the reference itself" python3 "$here/tables.py" compare "$dir/reference" "$port" answers.txt
fi
[ "$failures" -eq 0 ]
