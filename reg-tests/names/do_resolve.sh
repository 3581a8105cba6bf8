#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The action do-resolve looks names up while a stream waits: do_resolve.py, with a name server of
# its own.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
"$PENSTOCK" -vv | grep -q '+CARES' || case $PENSTOCK in *haproxy) ;; *) say "this build asks no name servers"; exit 77 ;; esac
python3 "${0%/*}/do_resolve.py" --penstock "$PENSTOCK" --dir "$dir" "$@" || fail "do_resolve.py"
finish
