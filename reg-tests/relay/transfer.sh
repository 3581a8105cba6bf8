#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Bytes in both directions at once arrive unharmed, each way, and show info counts them the way
# they went.
. "${0%/*}/../lib.sh"

moved() {
	relaytest -n 16 -z 4m transfer
	relaytest -n 400 fin
	case $way in
	splice) at_least BytesSpliced 30000000 ;;
	adaptive) at_least BytesSpliced 30000000 && at_least BytesCopied 1000000 ;;
	copy) exactly BytesSpliced 0 && at_least BytesCopied 30000000 ;;
	esac
}
each_way moved
finish
