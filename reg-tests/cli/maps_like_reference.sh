#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The commands on maps and ACLs answer what the reference has answered
# (reg-tests/cli/maps/answers.txt), alone and with workers, but for what deviations.txt says; where
# HAProxy 2.6 is at hand, what it answers now.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || exit 77
maps=$(cd "$srcdir/reg-tests/cli/maps" && pwd)

# serve PROGRAM NAME: on the socket $dir/NAME.
serve() {
	SOCK=$dir/$2 PORT=$(ports 1) "$1" -db -f maps.cfg >"$dir/$2.log" 2>&1 &
	children="$children $!"
	until_true 60 "$tool" -s "$dir/$2" ask "show info" || fail "$1 does not start"
}

cd "$maps" || exit 1
serve "$PENSTOCK" alone
check "alone" python3 maps.py compare "$dir/alone"
sed '/^# /d; s/^global/&\n\tnbproc 4/' maps.cfg >"$dir/maps.cfg"
cp ./*.map ./*.acl "$dir"
cd "$dir" || exit 1
serve "$PENSTOCK" workers
check "with workers" python3 "$maps/maps.py" compare "$dir/workers"
cd "$maps" || exit 1
if haproxy -v 2>/dev/null | grep -q 'version 2\.6'; then
	serve "$PENSTOCK" here
	serve haproxy reference
	check "with the reference itself" python3 maps.py together "$dir/here" "$dir/reference"
fi
[ "$failures" -eq 0 ]
