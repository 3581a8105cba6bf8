#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# SIGHUP writes the state of each server and proxy, SIGQUIT the memory pools; both go on serving.
# SIGUSR2, which reloads a parent, does nothing to a process that has none, or is a worker.
. "${0%/*}/../lib.sh"

tcp_proxy | config
start_penstock
kill -HUP "$pid"
check "HUP: servers" until_true 60 grep -q "Server be/s1 is .*Conn: 0 act, 0 pend, 0 tot" "$log"
check "HUP: proxies" until_true 60 grep -q "Proxy be has 1 active and 0 backup servers" "$log"
kill -QUIT "$pid"
check "QUIT: pools" until_true 60 grep -q "Pool stream .* used" "$log"
check "it still answers" test -n "$(info Uptime)"
kill -USR2 "$pid"
check "USR2: nothing to reload" until_true 60 grep -q "SIGUSR2 reloads nothing here: that needs -W" "$log"
check "it goes on" test -n "$(info Uptime)"
stop_penstock
start_penstock -W
kill -USR2 "$(info Pid)"
check "USR2 to a worker" until_true 60 grep -q "SIGUSR2 reloads nothing here: it is for the parent" "$log"
check "which goes on" test -n "$(info Uptime)"
check "as the only one that was forked" test "$(grep -c forked "$log")" -eq 1
finish
