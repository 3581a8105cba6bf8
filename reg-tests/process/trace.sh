#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# -d shows on the standard output when streams begin and end, and how; without it nothing is shown.
. "${0%/*}/../lib.sh"

shown() { grep -cE "$1" "$log"; }

tcp_proxy | config
start_penstock -d
relaytest -n 8 -z 10k transfer
stop_penstock
accepted=$(shown '^0*[1-9a-f][0-9a-f]*:fe\.accept\([0-9a-f]{4}\)=[0-9a-f]{4} from \[127\.0\.0\.1:[0-9]+\]$')
closed=$(shown ':fe\.closed\[[0-9a-f]{4}:[0-9a-f]{4}\] be/s1 [-CSK]. [1-9][0-9]*/[1-9][0-9]*: .')
check "8 accepted ($accepted), each closed ($closed)" test "$accepted/$closed" = 8/8
start_penstock
relaytest -n 8 -z 10k transfer
stop_penstock
check "silent without -d" test "$(shown 'fe\.accept')" -eq 0
finish
