#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Urgent data (real URG) in the middle of a stream neither lose bytes nor make it spin.
. "${0%/*}/../lib.sh"

each_way relaytest urgent
finish
