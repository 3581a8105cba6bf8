#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# No more pipes than maxpipes, whatever it is, with and without maxconn; without a free pipe the
# same transfer goes on by copying.
. "${0%/*}/../lib.sh"

# pipes_with MAXPIPES ALLOWED [LINES OF GLOBAL]
pipes_with() {
	say "## maxpipes ${1:-not set}${3:+, $3}"
	{
		[ -z "$1" ] || printf '\tmaxpipes %s\n' "$1"
		[ -z "${3:-}" ] || printf '\t%s\n' "$3"
		tcp_proxy "$splice"
	} | config
	start_penstock
	[ -z "$1" ] || exactly Maxpipes "$1"
	relaytest pipes "$2"
	relaytest -n 8 transfer
	relaytest client-rst
	stop_penstock
}
pipes_with 0 0
pipes_with 0 0 "maxconn 100"
pipes_with 1 1
pipes_with 1 1 "maxconn 100"
pipes_with 500 500
pipes_with 500 500 "maxconn 100"
pipes_with "" 25 "maxconn 100"
finish
