#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The end of the stream never overtakes its last bytes: the server sends and ends at once, clients
# with small windows read in drops.
. "${0%/*}/../lib.sh"

each_way relaytest slow-reader
finish
