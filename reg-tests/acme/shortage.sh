#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# An order without memory, without descriptors, and with a disk that is full: shortage.py.
. "${0%/*}/../lib.sh"
. "${0%/*}/../tls/certs.sh"
. "${0%/*}/acme.sh"

acme_world
mkdir "$dir/small"
small=
# The small disk is seen by this test alone, and goes with it.
unshare -m mount -t tmpfs -o size=16k tmpfs "$dir/small" 2>/dev/null && small=--small
head -c 8 /dev/zero >"$dir/nth"
${small:+unshare -m} sh -c "${small:+mount -t tmpfs -o size=16k tmpfs '$dir/small' &&} exec \"\$@\"" - \
	python3 "${0%/*}/shortage.py" --penstock "$PENSTOCK" --dir "$dir" --nth "$dir/nth" $small \
	${EACH:+--each} || fail "shortage.py"
finish
