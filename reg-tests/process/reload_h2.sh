#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Reload under clients of HTTP/2: connections are told that they are to go, streams that were on
# their way are answered whole, the old workers leave.
# usage: reload_h2.sh [ROUNDS]
. "${0%/*}/../lib.sh"

master=$dir/master.sock
parent_ask() { "$tool" -s "$master" ask "$1"; }
old_gone() { ! parent_ask "show proc" | grep -q "^# old"; }
cat >"$dir/reload" <<END
"$tool" -s "$master" ask reload | grep -qx Success=1
END
rounds=${1:-8}

{
	printf '\tnbproc 2\n'
	http_proxy "option splice-response"
} | config
start_penstock -W -S "$master,level,admin"
python3 "$srcdir/reg-tests/process/reload_h2.py" "${front%:*}" "${front#*:}" "${back#*:}" "sh $dir/reload" \
	"$rounds"
check "$rounds reloads lost nothing" test $? -eq 0
check "the old workers leave" until_true 120 old_gone
finish
