#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Each direction ends by itself, in any order, with any amount of data before and after.
. "${0%/*}/../lib.sh"

each_way relaytest half-close
finish
