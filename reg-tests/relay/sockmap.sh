#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A live socket of the process is put into a real BPF sockmap from outside: the transfer completes
# byte for byte, and the process does not spin. Needs CAP_BPF.
. "${0%/*}/../lib.sh"

captured() {
	case $way in
	splice)
		relaytest sockmap blocked
		at_least SpliceFallbackHidden 1
		;;
	*) relaytest sockmap ;;
	esac
}
WAYS="splice adaptive copy" # what the kernel relays is in a sockmap of ours
each_way captured
finish
