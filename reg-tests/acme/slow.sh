#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# An authority that is slow at each step and refuses two nonces of three, a reload in the middle of
# an order, and a start by somebody who is not root: slow.py.
. "${0%/*}/../lib.sh"
. "${0%/*}/../tls/certs.sh"
. "${0%/*}/acme.sh"

acme_world
python3 "${0%/*}/slow.py" --penstock "$PENSTOCK" --dir "$dir" || fail "slow.py"
finish
