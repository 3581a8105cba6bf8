#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Words of the 2.6 manual that are missing belong to capabilities that are to come; missing.txt
# names both, and README.md says which.
. "${0%/*}/../lib.sh"

printf 'listen l\n\tbind 127.0.0.1:1\n' >"$dir/cfg"
"$PENSTOCK" -c -q -dKcfg,smp,cnv,acl -f "$dir/cfg" 2>"$log" >"$dir/dump"
grep -q 'bind <address> ssl' "$dir/dump" || { say "this build has no TLS"; exit 77; }
check "missing words have a reason" python3 "$srcdir/reg-tests/config/missing.py" "$srcdir" "$dir/dump"
finish
