#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# One large transfer is not held back by many slow ones beside it.
. "${0%/*}/../lib.sh"

each_way relaytest mixed-slow
finish
