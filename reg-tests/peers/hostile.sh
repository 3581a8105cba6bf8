#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Peers that do not keep to the protocol: each message cut anywhere, longer, with wrong ids, numbers
# without an end, anything; slow ones, ones that never read, ones that flood. Their connection ends
# where it has to, that is counted, and nothing else happens: memory is bounded, other members go
# on.
# Limit: 120 s
. "${0%/*}/../lib.sh"
command -v python3 >/dev/null || exit 77
if sanitized; then
	export SANITIZED=1
fi
driver "${0%/*}/hostile.py" || failures=1
finish
