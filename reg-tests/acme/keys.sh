#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Keys of certificates are those that keytype, curves, bits and reuse-key say, orders have the
# profile: keys.py.
# Limit: 120 s
. "${0%/*}/../lib.sh"
. "${0%/*}/../tls/certs.sh"
. "${0%/*}/acme.sh"

acme_world
python3 "${0%/*}/keys.py" --penstock "$PENSTOCK" --dir "$dir" || fail "keys.py"
finish
