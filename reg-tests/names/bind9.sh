#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# BIND as the name server, whose records nsupdate changes while traffic flows: bind9.py.
. "${0%/*}/../lib.sh"

PATH=$PATH:/usr/sbin:/sbin
for program in python3 named nsupdate; do
	command -v $program >/dev/null || { say "needs $program"; exit 77; }
done
"$PENSTOCK" -vv | grep -q '+CARES' || case $PENSTOCK in *haproxy) ;; *) say "this build asks no name servers"; exit 77 ;; esac
python3 "${0%/*}/bind9.py" --penstock "$PENSTOCK" --dir "$dir" || fail "bind9.py"
finish
