#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Without the rights for the kernel relay a notice says so, and everything goes on by pipes and
# copies.
. "${0%/*}/../lib.sh"

if [ "$(id -u)" -eq 0 ]; then
	chmod 777 "$dir"
	run_as="setpriv --reuid=65534 --regid=65534 --clear-groups"
fi
kernel_proxy | config
start_penstock
check "a notice" grep -q "NOTICE.*option kernel-relay: the kernel cannot relay here (Operation not permitted)" "$log"
relaytest -n 16 transfer
exactly KernelRelays 0
finish
