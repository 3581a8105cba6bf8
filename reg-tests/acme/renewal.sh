#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Renewal by itself, in time: renewal.py.
# Limit: 120 s
. "${0%/*}/../lib.sh"
. "${0%/*}/../tls/certs.sh"
. "${0%/*}/acme.sh"

acme_world
# Both wait for time most of the time, so they do it at once.
for part in life jumps; do
	mkdir "$dir/$part"
	ln -s "$certs" "$dir/$part/certs"
	python3 "${0%/*}/renewal.py" --penstock "$PENSTOCK" --part $part \
		--dir "$dir/$part" --preload "$(preload)" >"$dir/$part.out" 2>&1 &
	eval "$part=\$!"
done
for part in life jumps; do
	eval "wait \$$part" || fail "renewal.py --part $part"
	cat "$dir/$part.out"
done
finish
