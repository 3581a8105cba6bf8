#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Random configurations are judged without a crash, and valid without the lines that were refused.
# With COMPARE=10 and haproxy installed ten configurations of each area are run on both, with
# requests.
: "${srcdir:=$(cd "${0%/*}/../.." && pwd)}"
: "${PENSTOCK:=$(pwd)/penstock}"
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
compare() {
	python3 "$srcdir/contrib/compare/compare" --program "$PENSTOCK" "$@"
}
if [ -n "$COMPARE" ]; then
	compare --seed "${SEED:-$(date +%s)}" --count "$COMPARE"
else
	compare --alone --seed 1 --count 2
fi
