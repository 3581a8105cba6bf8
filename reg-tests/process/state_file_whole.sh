#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What commands have set of servers is in the file of "show servers state", and holds behind a start
# that reads it: every column but times and results of checks. A port, TLS that the configuration
# says otherwise is told. Where the configuration has changed since, it wins.
. "${0%/*}/../lib.sh"
"$PENSTOCK" -vv | grep -q '+OPENSSL' || { say "this build has no TLS"; exit 77; }

agent=$(ports 1)
# NAME|WORDS OF THE SERVER|COMMANDS, "%" is the server
checked="check inter 1h agent-check agent-port $agent agent-inter 1h"
cat >"$dir/walk" <<END
first|$checked|
weight|$checked|set weight % 3
no_check|$checked|disable health %
no_agent|$checked|disable agent %
check_again|$checked|disable health %;enable health %
neither|$checked|disable health %;disable agent %
health_down|$checked|set server % health down
health_stopping|$checked|set server % health stopping
health_up|$checked|set server % health down;set server % health up
down_unchecked|$checked|disable health %;set server % health down
no_checks_down||set server % health down
no_checks_stopping||set server % health stopping
no_checks_up||set server % health down;set server % health up
agent_alone_down|agent-check agent-port $agent agent-inter 1h|set server % agent down
agent_down|$checked|set server % agent down
agent_up|$checked|set server % agent down;set server % agent up
maint|$checked|set server % state maint
maint_unchecked||set server % state maint
drain|$checked|set server % state drain
drain_maint|$checked|set server % state drain;disable server %
ready|$checked|set server % state maint;set server % state ready
enabled|$checked disabled|enable server %
disabled|$checked disabled|
drained_disabled|disabled|enable server %;set server % state drain
port|$checked|set server % addr 127.0.0.1 port 81
check_addr|$checked|set server % check-addr 127.0.0.6
check_port|$checked|set server % check-port 82
agent_addr|$checked|set server % agent-addr 127.0.0.7
agent_port|$checked|set server % agent-port 83
fqdn|$checked resolvers r init-addr last,libc,none|set server % fqdn other.example
tls_on|$checked no-ssl verify none|set server % ssl on
tls_off|$checked ssl verify none|set server % ssl off
END
configure() {
	{
		printf '\tserver-state-file %s/states\nresolvers r\n\tnameserver n 127.0.0.1:%s\n' "$dir" "$agent"
		echo 'backend b'
		printf '\ttimeout connect 9s\n\ttimeout server 9s\n\tload-server-state-from-file %s\n' "$1"
		while IFS='|' read -r name words commands; do
			host=127.0.0.1
			[ "$name" != fqdn ] || host=localhost
			printf '\tserver %s %s:80 weight 10 %s\n' "$name" "$host" "$words"
		done <"$dir/walk"
		printf 'frontend f\n\ttimeout client 9s\n\tbind %s\n\tdefault_backend b\n' "$front"
	} | config
}
# Without the time of the last change, and what the last check has found.
columns() { ask "show servers state b" | awk '$2 == "b" { $10 = $11 = $12 = ""; print }'; }
column() { awk -v name="$1" -v n="$2" '$4 == name { print $n }' "$dir/after"; }

configure none
start_penstock
while IFS='|' read -r name words commands; do
	[ -n "$commands" ] || continue
	said=$(ask "$(printf '%s' "$commands" | sed "s#%#b/$name#g")" | grep -v '^$')
	case $said in
	"" | *changed* | *updated*) ;;
	*) fail "$name: $said" ;;
	esac
done <"$dir/walk"
columns >"$dir/before"
ask "show servers state" >"$dir/states"
stop_penstock
sed -n 's/^[0-9]* b [0-9]* //p' "$dir/before" | sort -u -k 2 | wc -l >"$dir/kinds"
check "the commands have changed much" test "$(cat "$dir/kinds")" -ge 18

configure global
start_penstock
columns >"$dir/after"
diff "$dir/before" "$dir/after" >"$dir/diff" && pass "all columns hold" || { cat "$dir/diff"; fail "columns that do not hold"; }
check "a disabled check is off" sh -c "'$tool' -s '$stats' ask 'show stat' | grep -q '^b,no_check,.*,no check,'"
check "a port is told" grep -q "b/port has port 81 by the file of server states, and 80 by the configuration" "$log"
check "TLS that is off is told" grep -q "b/tls_off speaks no TLS by the file of server states" "$log"
check "TLS that is on is told" grep -q "b/tls_on speaks TLS by the file of server states" "$log"
check "nothing else is" test "$(grep -c 'by the file of server states' "$log")" -eq 3
ask "set server b/agent_alone_down agent up" >/dev/null
ask "set server b/agent_down agent up" >/dev/null
columns >"$dir/after"
check "an agent brings up what it had down" test "$(column agent_alone_down 6) $(column agent_down 6)" = "2 2"
stop_penstock

sed -i 's/|\(.*\) disabled|/|\1|/; s/^\(maint|.*\)|/\1 disabled|/; s/^\(down_unchecked|\)[^|]*/\1/; s/^\(weight|\)/\1disabled /' "$dir/walk"
configure global
start_penstock
columns >"$dir/after"
check "'disabled' that has gone: it is ready" test "$(column disabled 6)" = 2
check "'disabled' that has come: it is not" test "$(column weight 6) $(column weight 7)" = "0 5"
check "a check that has gone leaves nobody down" test "$(column down_unchecked 6)" = 2
stop_penstock
finish
