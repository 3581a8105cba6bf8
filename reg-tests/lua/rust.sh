#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A module of Lua that is written in Rust, against the crate haproxy-api (rust/src/lib.rs), does
# what it does in HAProxy 2.8: cases/rust*.answers, and live where $HAPROXY28 is at hand. runtests
# builds it once, where there is cargo; by hand:
#
#   top=$PWD build=/tmp/judge; mkdir $build; . contrib/prepare; install_rust_judge
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
"$PENSTOCK" -vv | grep -q '+LUA' || { say "this build has no Lua"; exit 77; }
[ -e "${RUST_MODULES:-}/judge.so" ] || { say "needs the module in Rust: \$RUST_MODULES/judge.so"; exit 77; }
here=$(cd "$srcdir/reg-tests/lua" && pwd)
export RUST_BACKTRACE=0

groups="rust rust_futures"
"$PENSTOCK" -q -dKlua -c -f /dev/null 2>/dev/null | grep -q '`core.register_filter(' &&
	groups="$groups rust_filters"
for group in $groups; do
	check "$group" python3 "$here/compare.py" check "$PENSTOCK" "$group"
done
if [ -x "${HAPROXY28:-}" ]; then
	for group in rust rust_futures rust_filters; do
		check "$group: HAProxy 2.8 says what was recorded" \
			env NO_DEVIATIONS=1 python3 "$here/compare.py" check "$HAPROXY28" "$group"
	done
fi
[ "$failures" -eq 0 ]
