#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The interactive mode: prompt, payload, waiting for events, a timeout of its own long before that
# of the others; and a session that shuts itself down.
. "${0%/*}/../lib.sh"

{
	printf '\tstats timeout 1h\n'
	printf '\tlog ring@r1 format raw local0 notice\nring r1\n\tformat raw\n'
	tcp_proxy "log global"
} | config
start_penstock
"$topbuild/reg-tests/cli/clitest" -s "$stats" -p "$pid" interactive || fail "interactive mode"
"$topbuild/reg-tests/cli/clitest" -s "$stats" -p "$pid" suicide || fail "suicide"
finish
