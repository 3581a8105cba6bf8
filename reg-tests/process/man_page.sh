# SPDX-License-Identifier: BSD-2-Clause
# Each option that --help lists stands in a bold line of the man page.
bold=$(grep '^\.B' "${srcdir:-.}/doc/penstock.1" | tr -d '\\' | tr -cs 'A-Za-z-' '\n')
options=$("$PENSTOCK" --help | sed -n 's/^  \(-[^ <]*\).*/\1/p')
[ -n "$options" ] || { echo "--help lists no options"; exit 1; }
missing=0
for option in $options; do
	printf '%s\n' "$bold" | grep -qxe "$option" || {
		echo "$option is not in doc/penstock.1"
		missing=$((missing + 1))
	}
done
echo "$(printf '%s\n' "$options" | wc -l) options, $missing missing"
[ "$missing" -eq 0 ]
