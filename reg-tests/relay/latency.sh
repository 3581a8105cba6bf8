#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Nothing waits for more to come: small exchanges, and ends that come late and empty.
. "${0%/*}/../lib.sh"

each_way relaytest latency
finish
