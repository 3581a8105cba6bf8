#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The HTTP client and sections "resolvers": client.py.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
"$PENSTOCK" -vv | grep -q '+CARES' || case $PENSTOCK in *haproxy) ;; *) say "this build asks no name servers"; exit 77 ;; esac
python3 "${0%/*}/client.py" --penstock "$PENSTOCK" --dir "$dir" "$@" || fail "client.py"
finish
