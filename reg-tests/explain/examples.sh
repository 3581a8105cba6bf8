#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The cases of reg-tests/explain/cases hold for examples/*.cfg ("penstock test"), and each example
# has some.
. "${0%/*}/../lib.sh"
cases=$srcdir/reg-tests/explain/cases
for example in "$srcdir"/examples/*.cfg; do
	name=${example##*/}
	check "$name has cases" grep -qx "file ../../../examples/$name" "$cases"/*.cases
done
set -- "$cases"/*.cases
if "$PENSTOCK" -vv | grep -q "Built without OpenSSL"; then
	set --
	for file in "$cases"/*.cases; do
		case $file in */hello.cases|*/tls.cases) ;; *) set -- "$@" "$file" ;; esac
	done
fi
check "the cases hold" "$PENSTOCK" test "$@"
"$PENSTOCK" test "$@" | grep -A 3 -E "^(FAILED|BROKEN)"
finish
