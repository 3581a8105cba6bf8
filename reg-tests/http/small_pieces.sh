#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A server with Nagle's algorithm that sends head and body one by one is acknowledged at once: its
# answers do not take the 40 ms each for which the kernel would hold the acknowledgement back.
. "${0%/*}/../lib.sh"

http_proxy | config
start_penstock
python3 "${0%.sh}.py" "$front" "$back" || failures=1
finish
