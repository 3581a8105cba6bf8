#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Where descriptors are few pipes are given up first, and a notice says so: maxconn 80 starts with
# 200 of them. Below what connections need the start fails, and the message says which maxconn
# would fit; that one does.
. "${0%/*}/../lib.sh"

command -v prlimit >/dev/null || { say "needs prlimit"; exit 77; }
chmod 777 "$dir"
limited="prlimit --nofile=200:200"
[ "$(id -u)" -ne 0 ] || limited="$limited setpriv --reuid=65534 --regid=65534 --clear-groups"

# configured MAXCONN
configured() {
	{
		printf '\tmaxconn %s\n' "$1"
		tcp_proxy
	} | config
}

configured 80
run_as=$limited
start_penstock
check "a notice says so" grep -q "but the system allows only 200: [0-9]* pipes are used" "$log"
check "it is one line" test "$(grep -c 'file descriptors' "$log")" -eq 1
check "maxconn is the one of the file" test "$(info Maxconn)" -eq 80
check "there are fewer pipes than a quarter of it" test "$(info Maxpipes)" -lt 20
check "all fits" test "$(info Maxsock)" -le 200
relaytest -n 80 transfer
stop_penstock

configured 150
$limited "$PENSTOCK" -db -f "$dir/cfg" >"$log" 2>&1
check "no room for 150 connections: the start fails" test $? -eq 1
most=$(sed -n 's/.*set maxconn to \([0-9]*\) at most.*/\1/p' "$log")
check "the message says what fits: $most" test "${most:-0}" -ge 80
configured "$most"
start_penstock
check "that one does, without pipes" test "$(info Maxconn) $(info Maxpipes)" = "$most 0"
stop_penstock

configured 40
start_penstock
check "where all fits nothing is said" sh -c "! grep -q descriptors '$log'"
check "and there are all pipes" test "$(info Maxpipes)" -eq 10
finish
