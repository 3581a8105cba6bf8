# SPDX-License-Identifier: BSD-2-Clause
# Each file of examples/ is a valid configuration, without a warning, and so is the one that
# README.md begins with.
bad=0
valid() {
	if said=$("$PENSTOCK" -c -V -dW -f "$2" 2>&1) && [ "$said" = "Configuration file is valid" ]; then
		echo "ok      $1"
	else
		printf '%s\n' "FAILED  $1" "$said"
		bad=$((bad + 1))
	fi
}

for file in "${srcdir:-.}"/examples/*.cfg; do
	case $file in */names.cfg) "$PENSTOCK" -vv | grep -q '+CARES' || continue ;; esac
	case $file in */acme.cfg) continue ;; esac # reg-tests/acme/example.sh
	case $file in */tls-*) continue ;; esac # reg-tests/tls/examples.sh, which has their certificates
	valid "$file" "$file"
done

readme=$(mktemp) || exit 1
trap 'rm -f "$readme"' EXIT
sed -n '/^## A first configuration/,/^    penstock /p' "${srcdir:-.}/README.md" |
	grep '^    ' | grep -v '^    penstock ' >"$readme"
grep -q '^    frontend ' "$readme" || { echo "README.md has no configuration"; exit 1; }
valid README.md "$readme"
[ "$bad" -eq 0 ]
