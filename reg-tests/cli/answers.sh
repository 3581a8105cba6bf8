#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every command, good, with a wrong argument and with an unknown name, is answered as by HAProxy 2.6
# or 2.8, severities included, on the stats socket and through the parent's, but for what
# answers.txt has under "here"; with one worker and with two; where the references are at hand, they
# answer as it says.
. "${0%/*}/../lib.sh"

answers=$srcdir/reg-tests/cli/answers/answers.py
command -v python3 >/dev/null || exit 77
set -- ""
"$PENSTOCK" help "crt-base" >/dev/null 2>&1 && command -v openssl >/dev/null && set -- "" tls-
for set; do
	check "${set}one worker" python3 "$answers" "$set" compare "$PENSTOCK" 1
	check "${set}two workers" python3 "$answers" "$set" compare "$PENSTOCK" 2
	judges_references || continue
	for reference in haproxy ${HAPROXY28:-}; do
		for version in 2.6 2.8; do
			if "$reference" -v 2>/dev/null | grep -q "version $version\."; then
				check "$set$version" python3 "$answers" "$set" reference "$reference" "$version"
			fi
		done
	done
done
finish
