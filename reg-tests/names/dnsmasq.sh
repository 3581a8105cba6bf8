#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# examples/names.cfg with dnsmasq as the name server: dnsmasq.py.
. "${0%/*}/../lib.sh"

for program in python3 dnsmasq; do
	command -v $program >/dev/null || { say "needs $program"; exit 77; }
done
"$PENSTOCK" -vv | grep -q '+CARES' || case $PENSTOCK in *haproxy) ;; *) say "this build asks no name servers"; exit 77 ;; esac
python3 "${0%/*}/dnsmasq.py" --penstock "$PENSTOCK" --dir "$dir" --example "$srcdir/examples/names.cfg" || fail "dnsmasq.py"
finish
