#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Members talk by TLS and verify each other's certificates; one with another certificate, or none,
# stays out.
. "${0%/*}/../lib.sh"
. "$srcdir/reg-tests/tls/certs.sh"
command -v python3 >/dev/null || exit 77
authority ca
authority foreign
signed member ca member.example.com
signed other foreign member.example.com
driver "${0%/*}/tls.py" --certs "$certs" || failures=1
finish
