#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Sessions that end while they are listed are stepped over.
. "${0%/*}/../lib.sh"

tcp_proxy | config
start_penstock
"$topbuild/reg-tests/cli/clitest" -s "$stats" -f "$front" -b "$back" -p "$pid" vanish ||
	fail "sessions that vanish"
finish
