#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# examples/pair.cfg and pair-keepalived.conf as they are, on two machines made of network
# namespaces: when one of them goes under load, by its program, by keepalived or as a whole,
# requests are served again soon, counters of its tables go on, and sessions stay with their
# servers. See pair.py.
. "${0%/*}/../lib.sh"

machines="left right servers client" programs="keepalived curl"
. "${0%/*}/machines.sh"
needs machine left 192.0.2.1
needs machine right 192.0.2.2
needs machine servers 192.0.2.21 192.0.2.22
needs machine client 192.0.2.100

timeout 200 python3 "$srcdir/reg-tests/peers/pair.py" "$PENSTOCK" "$srcdir/examples" "$dir" "$$" ||
	failures=1
finish
