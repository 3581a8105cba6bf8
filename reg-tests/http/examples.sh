#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Each HTTP configuration of examples/ does what its first lines promise: see examples.py.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
unshare -n true 2>/dev/null || { say "needs the right to create a network namespace"; exit 77; }
timeout 120 unshare -n python3 "$srcdir/reg-tests/http/examples.py" "$PENSTOCK" "$srcdir/examples" "$dir" || fail "an example"
finish
