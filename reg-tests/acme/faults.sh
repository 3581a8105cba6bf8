#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Whatever an authority does, the certificate of before serves on: faults.py.
. "${0%/*}/../lib.sh"
. "${0%/*}/../tls/certs.sh"
. "${0%/*}/acme.sh"

acme_world
python3 "${0%/*}/faults.py" --penstock "$PENSTOCK" --dir "$dir" || fail "faults.py"
finish
