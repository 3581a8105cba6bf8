#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# doc/lua.md: its reference is what `penstock -dKlua' prints, and each function of HAProxy's Lua
# manual stands there.
. "${0%/*}/../lib.sh"
"$PENSTOCK" -vv | grep -q '+LUA' || { say "this build has no Lua"; exit 77; }

manual=$srcdir/doc/lua.md
"$PENSTOCK" -q -dKlua -c -f /dev/null >"$dir/printed" 2>/dev/null
sed -n '/^<!-- penstock -dKlua -->$/,/^<!-- end -->$/p' "$manual" | sed '1d;$d' >"$dir/written"
check "the reference is that of the program (penstock -dKlua -q -c -f /dev/null)" \
	cmp "$dir/printed" "$dir/written"

for class in $("$PENSTOCK" help lua | sed -e '/^More:/d' -e '/^$/d' | tail -n 1); do "$PENSTOCK" help "lua.$class"; done >"$dir/help"
functions=$(grep -c '^    where: ' "$dir/help")
check "help says of $functions functions where they may be called, at least 100" test "$functions" -ge 100
check "and knows the types of all arguments" sh -c "! grep ': ?' '$dir/help'"

# reference.txt: a line for each entry of the manual, "Class.name".
there=0 lost=0
while read -r entry; do
	case $entry in "" | "#"*) continue ;; esac
	class=${entry%.*} name=${entry##*.}
	if grep -q "^| .$class[.:]$name(" "$dir/written" ||
		sed -n '/^## Members/,/^## Reference/p' "$manual" | grep -q ".$class\.$name[\`(]"; then
		there=$((there + 1))
	else
		lost=$((lost + 1))
		say "doc/lua.md does not tell of $entry"
	fi
done <"${0%/*}/reference.txt"
check "$there functions are there, $lost are not told of" test "$lost" -eq 0
finish
