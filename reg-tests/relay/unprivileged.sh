#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A user without privileges may have 64 large pipes; further ones would get two slots, which is
# worse than copying. They are not used, and nothing is lost.
. "${0%/*}/../lib.sh"

if [ "$(id -u)" -eq 0 ]; then
	chmod 777 "$dir"
	run_as="setpriv --reuid=65534 --regid=65534 --clear-groups"
fi
{
	printf '\tmaxpipes 200\n'
	tcp_proxy "$splice"
} | config
start_penstock
relaytest -n 110 pipes 200
relaytest -n 16 transfer
at_least PipesFailed 1
at_least PipesHighWater 40
finish
