#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Each command of doc/first-hour.md does what the page says: mistakes and their messages, serving,
# the stats socket and page, help, explain, test, a reload to TLS, the log, the end.
. "${0%/*}/../lib.sh"

for word in curl socat openssl python3; do
	command -v "$word" >/dev/null || { say "needs $word"; exit 77; }
done
"$PENSTOCK" -vv | grep -q '+OPENSSL' || { say "this build has no TLS"; exit 77; }
python3 "${0%/*}/first_hour.py" --penstock "$PENSTOCK" --dir "$dir" --ports "$(ports 4 | tr '\n' ' ')" \
	"$srcdir/doc/first-hour.md" || fail "first_hour.py"
finish
