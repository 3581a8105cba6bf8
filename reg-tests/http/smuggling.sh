#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Bytes that have fooled proxies do not fool this one: see smuggling.py. By hand, what the reference
# does with them: smuggling.py --reference haproxy
: "${srcdir:=$(cd "${0%/*}/../.." && pwd)}"
command -v python3 >/dev/null || exit 77
exec python3 "$srcdir/reg-tests/http/smuggling.py" --program "${PENSTOCK:-./penstock}" \
	"$srcdir/reg-tests/corpus/smuggling"
