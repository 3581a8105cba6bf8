#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Fetches and converters of later versions: what HAProxy 2.8 makes of them, and where it is at hand
# ($HAPROXY28) what it says now; those that it does not know, as their manuals say.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || exit 77
here=$(cd "$srcdir/reg-tests/expr" && pwd)
check "as HAProxy 2.8" python3 "$here/later.py" check "$PENSTOCK" "$here/later_2.8.txt" \
	"$here/forwarded_2.8.txt"
check "words of later versions" python3 "$here/later.py" check "$PENSTOCK" "$here/later.txt"
if [ -x "${HAPROXY28:-}" ]; then
	check "HAProxy 2.8 itself" python3 "$here/later.py" check "$HAPROXY28" "$here/later_2.8.txt" \
		"$here/forwarded_2.8.txt"
fi

# ACLs never ask themselves, and name those that stand in front of them.
verdict() {
	{ http_defaults; printf 'frontend f\n\tbind 127.0.0.1:1\n%b\n' "$1"; } >"$dir/c.cfg"
	"$PENSTOCK" -c -f "$dir/c.cfg" >"$dir/said" 2>&1
}
refused() {
	! verdict "$1" && grep -q "$2" "$dir/said"
}
check "an ACL asks another" verdict ' acl a path /x\n acl b acl(a)\n http-request deny if b'
check "not itself" refused ' acl a acl(a)\n http-request deny if a' 'cannot ask'
check "not by way of another" refused ' acl a path /x\n acl b acl(a)\n acl a acl(b)' 'cannot ask'
check "not what comes later" refused ' http-request deny if { acl(a) }\n acl a path /x' "no ACL 'a'"
check "an ACL that is asked is used" sh -c \
	"! grep -q 'never used' '$dir/said'" "$(verdict ' acl a path /x\n http-request deny if { acl(a) }')"
finish
