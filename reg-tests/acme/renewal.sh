#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Renewal by itself, in time: renewal.py.
. "${0%/*}/../lib.sh"
. "${0%/*}/../tls/certs.sh"
. "${0%/*}/acme.sh"

acme_world
python3 "${0%/*}/renewal.py" --penstock "$PENSTOCK" \
	--dir "$dir" --preload "$(preload)" || fail "renewal.py"
finish
