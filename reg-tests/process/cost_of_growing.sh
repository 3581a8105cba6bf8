#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A request costs the same among 10 and among 200 servers, backends, map entries and entries of a
# stick table; rules cost in proportion to their number. Instructions are counted, not time.
. "${0%/*}/../lib.sh"
sanitized && { say "valgrind and a sanitizer exclude each other"; exit 77; }
command -v callgrind_control >/dev/null || { say "valgrind is missing"; exit 77; }
python3 "${0%.sh}.py" "$srcdir/contrib/bench/run-growth" "$PENSTOCK"
