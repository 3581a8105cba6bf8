#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A client that stops reading costs little memory and is ended by its timeout.
client_timeout=1s
. "${0%/*}/../lib.sh"

each_way relaytest stall
finish
