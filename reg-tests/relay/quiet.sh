#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Idle, half-closed and blocked connections use no CPU, and go on when the reader reads again.
. "${0%/*}/../lib.sh"

each_way relaytest quiet
finish
