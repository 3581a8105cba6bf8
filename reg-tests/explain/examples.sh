# SPDX-License-Identifier: BSD-2-Clause
# The cases of reg-tests/explain/cases hold for examples/*.cfg: "penstock test".
cases=${srcdir:-.}/reg-tests/explain/cases
if "$PENSTOCK" -vv | grep -q "Built without OpenSSL"; then
	exec "$PENSTOCK" test "$cases/virtual-hosts.cases" "$cases/sites.cases" "$cases/bytes.cases"
fi
exec "$PENSTOCK" test "$cases"
