#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A clock that is wrong, in certificates by ACME: clock.py.
. "${0%/*}/../lib.sh"
. "${0%/*}/../tls/certs.sh"
. "${0%/*}/acme.sh"

acme_world
python3 "${0%/*}/clock.py" --penstock "$PENSTOCK" \
	--dir "$dir" --preload "$(preload)" || fail "clock.py"
finish
