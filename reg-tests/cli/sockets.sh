#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Sockets of all kinds and levels; mode of the file; stats maxconn.
. "${0%/*}/../lib.sh"

user=$dir/user.sock
operator=$dir/operator.sock
tcp=127.0.0.1:$(ports 1)
{
	printf '\tstats socket %s level user mode 600\n' "$user"
	printf '\tstats socket unix@%s severity-output number\n' "$operator"
	printf '\tstats socket ipv4@%s level admin\n' "$tcp"
	printf '\tstats timeout 1m\n\tstats maxconn 20\n\tstats bind-process 1\n'
	tcp_proxy
} | config
start_penstock

ask_at() { "$tool" -s "$1" ask "$2"; }
is() { test "$(ask_at "$1" "$2")" = "$3"; }

check "level user" is "$user" "show cli level" user
check "level user may not change" is "$user" "set weight be/s1 1" "Permission denied"
check "level user may not see sessions" is "$user" "show sess" "Permission denied"
check "operator is the default, with severities" is "$operator" "show cli level" "[6]: operator"
check "level operator may not change" is "$operator" "set weight be/s1 1" \
	"[3]: Permission denied"
check "level admin may" is "$stats" "set weight be/s1 1" ""
check "mode of the file" test "$(stat -c %a "$user")" = 600
check "a TCP socket, too" is "$tcp" "show cli level" admin
ask "show cli sockets" >"$dir/sockets"
check "all are listed" test "$(wc -l <"$dir/sockets")" -ge 5
check "with address and level" grep -qx "ipv4@$tcp admin all" "$dir/sockets"
check "the environment names them" is "$stats" "show env HAPROXY_CLI" \
	"HAPROXY_CLI=unix@$stats;unix@$user;unix@$operator;ipv4@$tcp"
check "with path and level" grep -qx "unix@$user user all" "$dir/sockets"
stop_penstock

# start_penstock asks once in a while, which the limits allow.
{
	printf '\tstats maxconn 3\n\tstats timeout 1h\n'
	tcp_proxy
} | config
start_penstock
"$topbuild/reg-tests/cli/clitest" -s "$stats" -p "$pid" limits || fail "limits"
stop_penstock
{
	printf '\tstats timeout 2s\n'
	tcp_proxy
} | config
start_penstock
"$topbuild/reg-tests/cli/clitest" -s "$stats" -p "$pid" timeout || fail "timeout"
stop_penstock

# refused LINE SENTENCE: of the global section.
refused() {
	{
		printf '\t%s\n' "$1"
		tcp_proxy
	} | config
	"$PENSTOCK" -c -f "$dir/cfg" >"$log" 2>&1 && return 1
	grep -q "$2" "$log"
}
check "a level that is none" refused "stats socket /tmp/x level boss" "'boss' is not a level"
check "no address" refused "stats socket" "an address expected"
check "a word that is none" refused "stats socket /tmp/x frob" "'frob' is not known"
check "no connection at all" refused "stats maxconn 0" "must be a number from 1"
check "no time" refused "stats timeout soon" "must be a time"
check "a second process" refused "stats bind-process 2" "there is one process"
check "the name of a node" refused "node a/b" "letters, digits"
finish
