#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Mistakes that people make, one at a time: each message has place, word, cause and cure, once
# (mistakes.txt); what is right says nothing. Beside the sanitizers every fourth (in_full).
# mistakes.py --table prints them beside those of the reference: doc/internals/messages.md.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
"$PENSTOCK" -vv | grep -q '+OPENSSL' || { say "this build has no TLS"; exit 77; }
"$PENSTOCK" -vv | grep -q '+CARES' || { say "this build asks no name servers"; exit 77; }
every=1
in_full || every=4
python3 "${0%/*}/mistakes.py" --penstock "$PENSTOCK" --dir "$dir" --every "$every" \
	--mistakes "${0%/*}/mistakes.txt" || fail "mistakes.py"
python3 "${0%/*}/mistakes.py" --penstock "$PENSTOCK" --dir "$dir" --mistakes "${0%/*}/mistakes.txt" \
	--notes "$srcdir/doc/configuration.md" >"$dir/notes"
check "the notices and notes of the manual" test $? -eq 0
check "all of them" test "$(grep -c '^ok' "$dir/notes")" -ge 55
check "and all that the sources have" python3 "${0%/*}/notices_listed.py" "$srcdir"
grep -v '^ok' "$dir/notes"
finish
