# SPDX-License-Identifier: BSD-2-Clause
# Each file of examples/ is a valid configuration, without a warning.
bad=0
for file in "${srcdir:-.}"/examples/*.cfg; do
	if said=$("$PENSTOCK" -c -V -dW -f "$file" 2>&1) && [ "$said" = "Configuration file is valid" ]
	then
		echo "ok      $file"
	else
		printf '%s\n' "FAILED  $file" "$said"
		bad=$((bad + 1))
	fi
done
[ "$bad" -eq 0 ]
