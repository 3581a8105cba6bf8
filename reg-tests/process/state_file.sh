#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Weight, drain, maintenance and the health of servers survive a restart in a file that "show
# servers state" has written: the global one, and one of a backend. Broken lines are said, the
# others hold.
. "${0%/*}/../lib.sh"

farm() {
	{
		printf '\tserver-state-base %s\n\tserver-state-file states\n' "$dir"
		cat <<END
defaults
	timeout connect 5s
	timeout client 5s
	timeout server 5s
	$1
listen farm
	bind $front
	server heavy $back weight 10
	server drained $back weight 10
	server off $back weight 10
	server ill $back weight 10 check inter 60s fall 2 port ${back##*:}
	server host localhost:${back##*:} weight 10 $3
	server asked $back weight 10 check inter 60s port ${back##*:} agent-check agent-port 1 agent-inter 60s
backend other
	$2
	server s1 $back weight 20
END
	} | config
}
cli() { "$tool" -s "$stats" ask "$1"; }
states() { cli "show servers state" | awk '$2 == "farm" || $2 == "other" { print $4, $5, $6, $7, $8, $18 }'; }
targets_are() {
	cli "show servers state" | awk -v want="$1" '$4 == "asked" && $22 " " $23 " " $24 " " $25 == want { ok = 1 } END { exit !ok }'
}
is() { states | grep -qx "$1"; }

farm "load-server-state-from-file none"
start_penstock
cli "set weight farm/heavy 3" >/dev/null
cli "set weight other/s1 7" >/dev/null
cli "set server farm/drained state drain" >/dev/null
cli "set server farm/off state maint" >/dev/null
cli "set server farm/asked check-addr 127.0.0.8 port 81" >/dev/null
cli "set server farm/asked agent-addr 127.0.0.9 port 82" >/dev/null
check "whom checks ask is shown" targets_are "81 127.0.0.8 127.0.0.9 82"
check "the check fails" until_true 60 is "ill 127.0.0.1 0 0 10 -"
cli "show servers state" >"$dir/states"
stop_penstock

farm "load-server-state-from-file none"
start_penstock
check "without the word nothing is read" is "heavy 127.0.0.1 2 0 10 -"
stop_penstock

sed -i '/ host /s/127.0.0.1/127.0.0.7/; s/^\(.* heavy .*\)$/2 farm 1 heavy broken\n\1/' "$dir/states"
farm "load-server-state-from-file global" "load-server-state-from-file none"
start_penstock
check "the weight is kept" is "heavy 127.0.0.1 2 0 3 -"
check "the drain is kept" is "drained 127.0.0.1 2 8 10 -"
check "the maintenance is kept" is "off 127.0.0.1 0 1 10 -"
check "whom checks ask is kept" targets_are "81 127.0.0.8 127.0.0.9 82"
check "the server is down from the start" grep -q "farm/ill is DOWN, changed from server-state" "$log"
check "a host keeps its last address" is "host 127.0.0.7 2 0 10 localhost"
check "a backend may stay out" is "s1 127.0.0.1 2 0 20 -"
check "a broken line is said" grep -q "states:3: this line of a server's state is left out" "$log"
stop_penstock

farm "load-server-state-from-file global" "load-server-state-from-file local
	server-state-file-name mine" "init-addr libc"
cp "$dir/states" "$dir/mine"
sed -i '/ s1 /d' "$dir/states"
start_penstock
check "a backend has a file of its own" is "s1 127.0.0.1 2 0 7 -"
check "init-addr decides about the address" is "host 127.0.0.1 2 0 10 localhost"
stop_penstock

rm "$dir/states"
start_penstock
check "a missing file is said" grep -q "states cannot be read: No such file or directory" "$log"
finish
