#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# PROXY headers of others, good and bad, however they arrive: vectors.txt. What is good is taken,
# what is bad or breaks off is refused and counted, and nothing is left behind.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "python3 is not installed"; exit 77; }
port=${front##*:}
config <<END
defaults
	mode http
	timeout connect 20s
	timeout client 100s
	timeout server 100s
listen l
	bind $front accept-proxy
	http-request return status 200 content-type text/plain lf-string "%[src]:%[src_port] %[dst]:%[dst_port] [%[fc_pp_authority]] [%[fc_pp_unique_id]] [%[fc_pp_tlv(SSL_VERSION)]] [%[fc_pp_tlv(ssl_cn)]] [%[fc_pp_tlv(0xe1)]]"
END
start_penstock
timeout 300 python3 "$srcdir/reg-tests/proxyproto/vectors.py" "$port" "$srcdir/reg-tests/proxyproto/vectors.txt" >"$dir/said" 2>&1
check "no error" test $? -eq 0
grep -v '^[0-9]* [0-9]*$' "$dir/said"
set -- $(tail -n 1 "$dir/said")
check "all as expected" test "$(grep -c WRONG "$dir/said")" -eq 0
check "all was sent: $1 good, $2 bad" test "$1" -gt 100 -a "$2" -gt 100
good=$1 bad=$2
counted() { [ "$(info ProxyHeadersRefused)" = "$bad" ]; }
until_true 60 counted
exactly ProxyHeadersTaken "$good"
exactly ProxyHeadersRefused "$bad"
check "counted for the frontend, too" test "$(ask "show stat l 1 -1" | sed -n 2p | cut -d, -f13)" -ge "$bad"
# unused POOL: nothing of it is in use.
unused() { ask "show pools" | grep -q "Pool $1 .*, 0 used,"; }
for pool in handshake "PROXY vectors" "peer address"; do
	check "nothing is left in pool '$pool'" until_true 60 unused "$pool"
done
finish
