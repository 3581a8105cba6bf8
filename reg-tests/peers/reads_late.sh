#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A member reads nothing until our socket is full, and then reads on: the teaching goes on at once,
# and does not wait for the next heartbeat.
. "${0%/*}/../lib.sh"
command -v python3 >/dev/null || exit 77
driver "${0%/*}/reads_late.py" || failures=1
finish
