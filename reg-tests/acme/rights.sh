#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A worker that may do nothing, and the parent that writes for it: rights.py.
. "${0%/*}/../lib.sh"
. "${0%/*}/../tls/certs.sh"
. "${0%/*}/acme.sh"

[ "$(id -u)" -eq 0 ] || { say "needs root"; exit 77; }
acme_world
python3 "${0%/*}/rights.py" --penstock "$PENSTOCK" --dir "$dir" || fail "rights.py"
finish
