#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Names of servers are looked up while serving: servers.py, with name servers of its own; with one
# process and with workers; with PENSTOCK=haproxy the reference is judged where it can be.
# Limit: 120 s
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
"$PENSTOCK" -vv | grep -q '+CARES' || case $PENSTOCK in *haproxy) ;; *) say "this build asks no name servers"; exit 77 ;; esac
python3 "${0%/*}/servers.py" --penstock "$PENSTOCK" --dir "$dir" "$@" || fail "servers.py"
finish
