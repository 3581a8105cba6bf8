#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Clients that mean ill: ClientHellos that are too long, cut, or not well-formed, and renegotiation.
# Each is refused, nothing is left of it, and the next client is served.
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"
command -v python3 >/dev/null || exit 77

start_site
timeout 120 python3 "${0%/*}/hostile.py" "${front#*:}" >"$dir/said" 2>&1
cat "$dir/said"
taken() { check "$1: taken" grep -qx "$1: hello" "$dir/said"; }
refused() { check "$1: refused" grep -qx "$1: \(closed\|[a-z]*_[a-z_]*\)" "$dir/said"; }
taken "good"
taken "good, a byte a record"
taken "good, 24 kB in small records"
refused "a hello of 16 MB is announced"
refused "a record longer than 16 kB"
refused "a name longer than its extension"
refused "a name with a NUL"
refused "a name of 300 letters"
refused "plain HTTP"
refused "no ciphers"
refused "data in the place of a hello"
check "all of them are gone" until_true 60 test "$(info CurrSslConns)" -eq 0
check "the next one is served" test "$(served www.example.com)" = site

# "R" makes s_client renegotiate; it reads its input until then.
mkfifo "$dir/input"
timeout 60 openssl s_client -connect "$front" -tls1_2 <"$dir/input" >"$dir/said" 2>&1 &
client=$!
exec 3>"$dir/input"
until_true 60 grep -q 'Verify return code' "$dir/said"
printf 'R\n' >&3
wait "$client"
exec 3>&-
check "renegotiation is refused" grep -q 'no renegotiation' "$dir/said"
finish
