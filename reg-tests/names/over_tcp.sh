#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Name servers over TCP and TLS, by the words of server lines: over_tcp.py.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
"$PENSTOCK" -vv | grep -q '+CARES' || { say "this build asks no name servers"; exit 77; }
certs=
if "$PENSTOCK" -vv | grep -q '+OPENSSL'; then
	. "${0%/*}/../tls/certs.sh"
	authority ca
	authority other
	signed dns ca dns.test
fi
python3 "${0%/*}/over_tcp.py" --penstock "$PENSTOCK" --dir "$dir" --certs "$certs" || fail "over_tcp.py"
finish
