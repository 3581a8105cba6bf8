#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# -D: the parent returns 0 when the child serves, 1 with a message when it cannot; -p writes the
# process id; -sf makes a new process take over without a refused connection.
. "${0%/*}/../lib.sh"

answers() { [ -n "$(info Pid)" ]; }
ended() { ! kill -0 "$1" 2>/dev/null; }

tcp_proxy | config
"$PENSTOCK" -D -p "$dir/pid" -f "$dir/cfg" >"$log" 2>&1
check "the parent returns 0" test $? -eq 0
pid=$(cat "$dir/pid")
check "the child serves at once" answers
check "the pid file holds its id" test "$(info Pid)" = "$pid"

sed "s/bind .*/bind $front interface nosuchinterface0/" "$dir/cfg" >"$dir/bad"
sed -i '/stats socket/d' "$dir/bad"
"$PENSTOCK" -D -f "$dir/bad" >"$log" 2>&1
check "a start that fails returns 1" test $? -eq 1
check "and says why" grep -q "nosuchinterface0" "$log"

old=$pid
"$PENSTOCK" -D -p "$dir/pid" -f "$dir/cfg" -sf "$old" >"$log" 2>&1
check "the new one starts beside the old one" test $? -eq 0
pid=$(cat "$dir/pid")
check "it is another process" test "$pid" != "$old"
check "the old one leaves" until_true 60 ended "$old"
check "the new one answers" test "$(info Pid)" = "$pid"
kill -TERM "$pid"
check "TERM ends it" until_true 60 ended "$pid"
pid=
finish
