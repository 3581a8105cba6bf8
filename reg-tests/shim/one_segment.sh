#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A kernel that returns one segment a call: bytes arrive unharmed, and segments are gathered.
. "${0%/*}/../lib.sh"
SHIM=pull=limit:1448
tcp_proxy "$splice" | config
start_penstock
relaytest -n 8 -z 2m transfer
relaytest -n 100 fin
acted pull=limit:1448
at_least SpliceGathered 100
finish
