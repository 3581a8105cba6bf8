#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Published modules run as they are, and do what they do in the references: lua-cjson, luajson,
# lpeg, lua-socket, basexx, lua-http, of Debian's packages (cases/packages.lua, packages.answers).
# HAProxy 2.6, whose Lua is 5.3, and 2.8 run the same scripts beside, where they are at hand.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
"$PENSTOCK" -vv | grep -q '+LUA' || { say "this build has no Lua"; exit 77; }
here=$(cd "$srcdir/reg-tests/lua" && pwd)

# there VERSION: the modules in C for a Lua of this version.
there() {
	for module in cjson lpeg mime/core; do
		set -- "$1" /usr/lib/*/lua/"$1/$module.so"
		[ -e "$2" ] || return 1
	done
}
missing=
there 5.4 || missing=" lua-cjson lua-lpeg lua-socket"
for file in socket/url:lua-socket json:lua-json http/util:lua-http basexx:lua-basexx; do
	[ -e "/usr/share/lua/5.2/${file%:*}.lua" ] || missing="$missing ${file#*:}"
done
[ -z "$missing" ] || { say "needs the packages$missing"; exit 77; }

says_the_same() { python3 "$here/compare.py" check "$1" packages; }
check "modules of packages" says_the_same "$PENSTOCK"
if judges_references && haproxy -v 2>/dev/null | grep -q 'version 2\.6' && there 5.3; then
	check "HAProxy 2.6 says what was recorded" says_the_same haproxy
fi
if [ -x "${HAPROXY28:-}" ]; then
	check "HAProxy 2.8 says the same" says_the_same "$HAPROXY28"
fi
[ "$failures" -eq 0 ]
