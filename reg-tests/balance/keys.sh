#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Balancing by a key of the request chooses as HAProxy 2.6 does: see keys.py.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
timeout 200 python3 "$srcdir/reg-tests/balance/keys.py" "$PENSTOCK" "$dir" "${front##*:}" "${back##*:}" \
	"$srcdir/reg-tests/balance/keys.txt" || fail "choices"
finish
