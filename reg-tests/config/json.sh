#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# -c --format json: one array on stdout, nothing on stderr, also when the file is valid or missing.
. "${0%/*}/../lib.sh"

json() { "$PENSTOCK" -c --format json "$@" >"$dir/out" 2>"$dir/err"; }
has() { grep -qF "$1" "$dir/out"; }

printf 'global\n\tmaxcon 100\n\tsetenv A "\\"\n\tdaemon x\\ty\n.warning "a\tb \303\251 \377"\n' >"$dir/cfg"
json -f "$dir/cfg"
check "exit code" test $? -eq 1
check "nothing on stderr" test ! -s "$dir/err"
check "an array" test "$(head -c 1 "$dir/out")$(tail -n 1 "$dir/out")" = "[]"
check "file, line, column, severity, message, hint" has '{"file": "'"$dir/cfg"'", "line": 2, "column": 2, "severity": "error", "message": "unknown word '"'maxcon'"'", "hint": "did you mean '"'maxconn'"'?"}'
check "no hint" has '"line": 3, "column": 11, "severity": "error", "message": "this quote is never closed", "hint": null}'
check "control characters are escaped, other letters stay, wrong bytes are replaced" \
	has '"severity": "warning", "message": "a\u0009b é \ufffd"'
check "one line each" test "$(grep -c '^  {' "$dir/out")" -eq 4
if command -v python3 >/dev/null; then
	check "a parser takes it" python3 -c 'import json, sys
problems = json.load(open(sys.argv[1], encoding="utf-8"))
assert [p["line"] for p in problems] == [2, 3, 4, 5]
assert all(set(p) == {"file", "line", "column", "severity", "message", "hint"} for p in problems)
' "$dir/out"
fi

tcp_proxy >"$dir/cfg"
json -f "$dir/cfg"
check "valid: exit code" test $? -eq 0
check "valid: an empty array" test "$(cat "$dir/out")" = "[]"
json -f "$dir/nowhere"
check "missing file: exit code" test $? -eq 1
check "missing file" has '{"file": null, "line": 0, "column": 0, "severity": "error"'
finish
