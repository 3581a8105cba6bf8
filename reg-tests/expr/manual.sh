#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# doc/configuration.md has a row for each fetch and converter, each word and each predefined ACL,
# and no row for others.
. "${0%/*}/../lib.sh"

manual=$srcdir/doc/configuration.md
printf 'backend b\n' >"$dir/cfg"
# names CLASS: the words of the class.
names() {
	"$PENSTOCK" -c -q "-dK$1" -f "$dir/cfg" 2>/dev/null | sed -n 's/^	\([^ :([]*\).*/\1/p' | sort -u
}
missing() {
	for name in $(names "$1"); do
		case $name in
		map | map_*) grep -q "^    map_<method>" "$manual" ;;
		sc[012]_* | src_*) grep -q "^| .*\`$name[(\`]" "$manual" ;; # forms in the row of sc_*
		*) grep -q "$2$name[(\`]" "$manual" ;;
		esac || echo "$name"
	done
}
check "$(names smp | wc -l) fetches" test "$(names smp | wc -l)" -gt 90
check "$(names cnv | wc -l) converters" test "$(names cnv | wc -l)" -gt 80
lacking=$(missing smp '^| `'; missing cnv '^| `'; missing acl '`')
[ -z "$lacking" ] || say "$lacking"
check "each has its place in the manual" test -z "$lacking"

# A row of the two tables that no table of the program has.
{ names smp; names cnv; } | sort -u >"$dir/all"
awk '/^\| (fetch|converter) \|/ { on = 1 } !/^\|/ { on = 0 }
	on && /^\| `/ { split($2, part, /[`(]/); print part[2] }' "$manual" | sort -u >"$dir/rows"
# Those that need OpenSSL are not in a build without.
names smp | grep -qx ssl_fc_sni || tls='^(ssl_|aes_gcm_dec$|digest$|hmac$|jwt_verify$|sha[12]$)'
unknown=$(comm -13 "$dir/all" "$dir/rows" | grep -v '^map' | grep -vE "${tls:-^$}")
[ -z "$unknown" ] || say "$unknown"
check "no other has" test -z "$unknown"
finish
