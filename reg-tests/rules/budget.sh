#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Nothing that a client sends in 16 kB costs more than 2 ms or 8 times its size, whatever looks at
# it: see budget.py. One request of three is sent, of each word another one; by hand, all: BUDGET=1.
. "${0%/*}/../lib.sh"

heap=$topbuild/reg-tests/shim/heap.so
slow="1 ${BUDGET:-3}"
if sanitized; then
	heap=
	slow="15 8"
fi
python3 "$srcdir/reg-tests/rules/budget.py" "$PENSTOCK" "$dir" "$front" "$back" "$heap" $slow
check "16 kB cost what 16 kB may cost" test $? = 0
finish
