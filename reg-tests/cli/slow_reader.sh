#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Who asks for the statistics of hundreds of servers and does not read them costs little, holds up
# nobody, and gets them all in the end.
. "${0%/*}/../lib.sh"

{
	echo "	stats timeout 10m"
	tcp_proxy
	echo "backend many"
	i=0
	while [ "$i" -lt 300 ]; do
		echo "	server m$i 127.0.0.1:9"
		i=$((i + 1))
	done
} | config
start_penstock
"$topbuild/reg-tests/cli/clitest" -s "$stats" -p "$pid" slow-reader || fail "slow readers"
finish
