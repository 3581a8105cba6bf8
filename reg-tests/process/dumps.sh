#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# SIGHUP writes the state of each server and proxy, SIGQUIT the memory pools; both go on serving.
. "${0%/*}/../lib.sh"

tcp_proxy | config
start_penstock
kill -HUP "$pid"
check "HUP: servers" until_true 60 grep -q "Server be/s1 is .*Conn: 0 act, 0 pend, 0 tot" "$log"
check "HUP: proxies" until_true 60 grep -q "Proxy be has 1 active and 0 backup servers" "$log"
kill -QUIT "$pid"
check "QUIT: pools" until_true 60 grep -q "Pool stream .* used" "$log"
check "it still answers" test -n "$(info Uptime)"
finish
