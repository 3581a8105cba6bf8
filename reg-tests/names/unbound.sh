#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Unbound as the name server, over UDP and over TCP, which answers in another order each time, and
# whose records go and come back while traffic flows: unbound.py.
. "${0%/*}/../lib.sh"

PATH=$PATH:/usr/sbin:/sbin
for program in python3 unbound unbound-control; do
	command -v $program >/dev/null || { say "needs $program"; exit 77; }
done
"$PENSTOCK" -vv | grep -q '+CARES' || case $PENSTOCK in *haproxy) ;; *) say "this build asks no name servers"; exit 77 ;; esac
for way in udp tcp; do
	say "## $way"
	python3 "${0%/*}/unbound.py" --penstock "$PENSTOCK" --dir "$dir" --way $way || fail "unbound.py $way"
done
finish
