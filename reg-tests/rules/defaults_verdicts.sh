#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Rules in defaults sections: what may stand there, and which sections may use it, is as in HAProxy
# 2.8, which is asked, too, where it is at hand ($HAPROXY28).
. "${0%/*}/../lib.sh"

# A case: SENTENCE, a tab, "takes" or "refuses", a tab, lines parted by '|'; TIMES is put in.
times='timeout client 1s| timeout server 1s| timeout connect 1s'
cases() {
	sed "s/TIMES/$times/g" <<'END'
anonymous ones have no ACLs	refuses	defaults| mode http| TIMES| acl a path /x|frontend f| bind 127.0.0.1:1
anonymous ones have no http-request rules	refuses	defaults| mode http| TIMES| http-request deny|frontend f| bind 127.0.0.1:1
anonymous ones have no http-response rules	refuses	defaults| mode http| TIMES| http-response del-header x|frontend f| bind 127.0.0.1:1
anonymous ones have no http-after-response rules	refuses	defaults| mode http| TIMES| http-after-response del-header x|frontend f| bind 127.0.0.1:1
anonymous ones have no tcp-request connection rules	refuses	defaults| TIMES| tcp-request connection accept|frontend f| bind 127.0.0.1:1
anonymous ones have no tcp-request session rules	refuses	defaults| TIMES| tcp-request session accept|frontend f| bind 127.0.0.1:1
anonymous ones have no tcp-request content rules	refuses	defaults| TIMES| tcp-request content accept|frontend f| bind 127.0.0.1:1
anonymous ones have no inspect-delay	refuses	defaults| TIMES| tcp-request inspect-delay 1s|frontend f| bind 127.0.0.1:1
anonymous ones have no tcp-response rules	refuses	defaults| TIMES| tcp-response content accept|frontend f| bind 127.0.0.1:1
named ones have http-request rules	takes	defaults d| mode http| TIMES| http-request deny if { path /x }|frontend f from d| bind 127.0.0.1:1
named ones have http-response rules	takes	defaults d| mode http| TIMES| http-response del-header x|backend b from d| server s 127.0.0.1:2|defaults e| TIMES|frontend x from e| bind 127.0.0.1:3
named ones have http-after-response rules	takes	defaults d| mode http| TIMES| http-after-response del-header x|frontend f from d| bind 127.0.0.1:1
named ones have ACLs for their own rules	takes	defaults d| mode http| TIMES| acl a path /x| http-request deny if a|frontend f from d| bind 127.0.0.1:1
named ones have connection rules for frontends	takes	defaults d| TIMES| tcp-request connection accept|frontend f from d| bind 127.0.0.1:1
named ones have an inspect-delay	takes	defaults d| TIMES| tcp-request inspect-delay 1s| tcp-request content accept|frontend f from d| bind 127.0.0.1:1
a listen section uses none with rules	refuses	defaults d| mode http| TIMES| http-request deny if { path /x }|listen l from d| bind 127.0.0.1:1
frontends and backends do not share them	refuses	defaults d| mode http| TIMES| http-request deny if { path /x }|frontend f from d| bind 127.0.0.1:1|backend b from d| server s 127.0.0.1:2
two frontends share them	takes	defaults d| mode http| TIMES| http-request deny if { path /x }|frontend f from d| bind 127.0.0.1:1|frontend g from d| bind 127.0.0.1:2
a backend uses no connection rules	refuses	defaults d| TIMES| tcp-request connection accept|backend b from d| server s 127.0.0.1:2
a backend uses no session rules	refuses	defaults d| TIMES| tcp-request session accept|backend b from d| server s 127.0.0.1:2
a backend uses content rules	takes	defaults d| TIMES| tcp-request content accept|backend b from d| server s 127.0.0.1:2|defaults e| TIMES|frontend x from e| bind 127.0.0.1:3
defaults do not begin with others that have rules	refuses	defaults d| mode http| TIMES| http-request deny if { path /x }|defaults e from d|frontend f from e| bind 127.0.0.1:1
their ACLs are their own	refuses	defaults d| mode http| TIMES| acl a path /x| http-request deny if a|frontend f from d| bind 127.0.0.1:1| http-request deny if a
track-sc needs a table	refuses	defaults d| mode http| TIMES| http-request track-sc0 src|frontend f from d| bind 127.0.0.1:1
track-sc with a table	takes	defaults d| mode http| TIMES| http-request track-sc0 src table t|frontend f from d| bind 127.0.0.1:1|defaults e| TIMES|backend t from e| stick-table type ip size 10
no filters	refuses	defaults d| mode http| TIMES| filter compression|frontend f from d| bind 127.0.0.1:1
set-var	takes	defaults d| mode http| TIMES| http-request set-var(txn.a) int(1)|frontend f from d| bind 127.0.0.1:1
set-timeout	takes	defaults d| mode http| TIMES| http-request set-timeout server 1s|backend b from d| server s 127.0.0.1:2|defaults e| TIMES|frontend x from e| bind 127.0.0.1:3
END
}
# agrees BINARY
agrees() {
	cases >"$dir/cases"
	bad=0
	while IFS='	' read -r claim verdict lines; do
		printf '%s\n' "$lines" | tr '|' '\n' >"$dir/c.cfg"
		"$1" -c -f "$dir/c.cfg" >"$dir/said" 2>&1 && said=takes || said=refuses
		[ "$said" = "$verdict" ] && continue
		bad=$((bad + 1))
		say "FAILED  $claim: it $said that"
		cat "$dir/said"
	done <"$dir/cases"
	[ "$bad" -eq 0 ]
}
check "rules in defaults sections" agrees "$PENSTOCK"
if [ -x "${HAPROXY28:-}" ]; then
	check "HAProxy 2.8 says the same" agrees "$HAPROXY28"
fi
finish
