#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Endless lines, random bytes, thousands of commands at once, peers that go away: the process
# lives on, and all descriptors come back.
. "${0%/*}/../lib.sh"

tcp_proxy | config
start_penstock
"$topbuild/reg-tests/cli/clitest" -s "$stats" -p "$pid" attack || fail "attacks"
finish
