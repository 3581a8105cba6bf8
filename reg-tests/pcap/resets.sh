#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Who breaks off is passed on as RST, in both directions.
. "${0%/*}/../lib.sh"
own_network "$@"

both() {
	wire rst-to-client
	wire rst-to-server
}
each_way both
finish
