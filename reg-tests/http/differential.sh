#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Hundreds of requests and responses, byte by byte: Penstock makes of them what HAProxy 2.6 did when
# it was recorded, or what the files NAME.own say, with the reason. By hand against the reference
# itself: reg-tests/http/differential.py --program ./penstock --against haproxy
: "${srcdir:=$(cd "${0%/*}/../.." && pwd)}"
: "${PENSTOCK:=$(pwd)/penstock}"
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
failed=0
for cases in "$srcdir"/reg-tests/http/differential/*.txt; do
	name=${cases##*/}
	python3 "$srcdir/reg-tests/http/differential.py" --program "$PENSTOCK" "${name%.txt}" || failed=1
done
exit $failed
