#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# examples/servers-follow and consul-source: servers of a backend follow what a Consul says, under
# load, without a request that fails; they stay while it cannot be reached. See follow.py.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
own_network "$@"
[ -n "${OWN_NETWORK:-}" ] || { say "may not make network namespaces"; exit 77; }
ip addr add 192.0.2.36/32 dev lo
timeout 120 python3 "$srcdir/reg-tests/cli/follow.py" "$PENSTOCK" "$srcdir/examples" "$dir" || fail "see above"
finish
