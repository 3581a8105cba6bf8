#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# examples/acme.cfg as it is, but for its addresses and folders: example.py.
. "${0%/*}/../lib.sh"
. "${0%/*}/../tls/certs.sh"
. "${0%/*}/acme.sh"

acme_world
python3 "${0%/*}/example.py" --penstock "$PENSTOCK" \
	--dir "$dir" --example "$srcdir/examples/acme.cfg" || fail "example.py"
finish
