#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A certificate is ordered, served by all workers, renewed, and outlasts a restart: pebble.py.
. "${0%/*}/../lib.sh"
. "${0%/*}/../tls/certs.sh"
. "${0%/*}/acme.sh"

acme_world
for challenge in http-01 tls-alpn-01; do
	say "## $challenge"
	rm -f "$dir/site.pem" "$dir/account.key" "$dir/log"
	python3 "${0%/*}/pebble.py" --penstock "$PENSTOCK" \
		--dir "$dir" --challenge $challenge || fail "pebble.py $challenge"
done
finish
