#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What checks make of some 400 servers, and what these are sent: as recorded from the reference
# (results.txt). With PENSTOCK=haproxy the recording is tried.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
check "all results are those recorded" \
	python3 "$srcdir/reg-tests/check/results.py" "$PENSTOCK" "$srcdir/reg-tests/check/results.txt" "$dir"
# The reference fails some: of SMTP replies it judges the first bytes and takes the rest for the
# next reply.
check "the results are the same when answers come one byte at a time" \
	python3 "$srcdir/reg-tests/check/results.py" "$PENSTOCK" "$srcdir/reg-tests/check/results.txt" "$dir" pieces
finish
