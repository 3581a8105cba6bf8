#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Without a server each connection is ended, nothing of it remains, and the process goes on.
. "${0%/*}/../lib.sh"

tcp_proxy "retries 1" | config
start_penstock
relaytest_alone refused
relaytest -n 4 transfer
finish
