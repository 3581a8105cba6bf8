#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Clients that send messages without data for ever, which the TLS library reads without a pause: new
# keys (TLS 1.3), hellos, records without bytes, warnings (TLS 1.2). The connection ends, the others
# are served; some of them are no harm.
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"

start_site
flood() { timeout 300 "$topbuild/reg-tests/tls/tlsflood" "${front#*:}" "$@" >"$dir/said" 2>&1; }
said() { flood "$1" "$2" && cat "$dir/said" && grep -q "^$1: [0-9]* sent, $3\$" "$dir/said"; }

for kind in keys deaf; do
	check "200 new keys ($kind) are made" said "$kind" 200 taken
	check "$kind for ever: closed" said "$kind" 100000000 closed
done
check "50 hellos are refused one by one" said hellos 50 taken
for kind in hellos empty warnings; do
	check "$kind for ever: closed" said "$kind" 100000000 closed
done

# Two at once do not keep the process from others.
flood keys 100000000 &
one=$!
flood hellos 100000000 &
two=$!
check "the next one is served" test "$(served www.example.com)" = site
wait "$one" "$two"
check "all of them are gone" until_true 60 test "$(info CurrSslConns)" -eq 0
finish
