#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What cannot be had at the start is said plainly, all of it, and nothing is started: addresses in
# use, missing rights, too few descriptors.
. "${0%/*}/../lib.sh"

# refused COMMAND...: it ends by itself with exit code 1; what it said is in $dir/said.
refused() {
	timeout 60 "$@" </dev/null >"$dir/said" 2>&1
	[ $? -eq 1 ] || { fail "$* did not end with 1"; cat "$dir/said"; }
}
says() { check "it says: $1" grep -qF "$1" "$dir/said" || cat "$dir/said"; }

# As somebody without any right, who must be able to read the files.
nobody="setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all"
chmod 755 "$dir"
cp "$PENSTOCK" "$dir/penstock" 2>/dev/null && chmod 755 "$dir/penstock"

say "## addresses in use: each of them is said"
second=127.0.0.1:$(ports 1)
{
	printf '\tnoreuseport\n'
	tcp_proxy "" check
	printf 'listen other\n\tbind %s\n\tserver s1 %s\n' "$second" "$back"
} | config
start_penstock
sed "s#$stats#$dir/other.sock#" "$dir/cfg" >"$dir/again.cfg"
refused "$PENSTOCK" -f "$dir/again.cfg"
says "frontend 'fe': cannot listen on $front: bind: Address already in use"
says "frontend 'other': cannot listen on $second: bind: Address already in use"
says "nothing was started"
sed "s#$front#127.0.0.1:$(ports 1)#; s#$second#127.0.0.1:$(ports 1)#; s#$stats#$dir/no-such-folder/sock#" "$dir/cfg" >"$dir/again.cfg"
refused "$PENSTOCK" -f "$dir/again.cfg"
says "again.cfg:2: stats socket: cannot listen on $dir/no-such-folder/sock"
check "nothing is left behind" eval '! grep -q Sanitizer "$dir/said"'
check "the first process still answers" test -n "$(info Pid)"
stop_penstock

say "## a missing right"
if [ "$(id -u)" -eq 0 ] && [ "$(cat /proc/sys/net/ipv4/ip_unprivileged_port_start)" -gt 79 ]; then
	front=127.0.0.1:79 tcp_proxy >"$dir/low.cfg"
	chmod 644 "$dir/low.cfg"
	refused $nobody "$dir/penstock" -f "$dir/low.cfg"
	says "Ports below 1024 need root or CAP_NET_BIND_SERVICE"
fi

say "## no such interface, namespace, folder"
bind_words="interface nosuchif0" tcp_proxy >"$dir/x.cfg"
refused "$PENSTOCK" -f "$dir/x.cfg"
says "There is no such interface"
bind_words="namespace no-such-namespace" tcp_proxy >"$dir/x.cfg"
refused "$PENSTOCK" -f "$dir/x.cfg"
says "namespace: No such file or directory"
front=$dir/no/such/folder/sock tcp_proxy >"$dir/x.cfg"
refused "$PENSTOCK" -f "$dir/x.cfg"
says "The folder of the socket does not exist"

say "## too few descriptors for maxconn"
{ printf 'global\n\tmaxconn 5000\n'; tcp_proxy; } >"$dir/many.cfg"
{ printf 'global\n\tmaxconn 5000\n\tno strict-limits\n'; tcp_proxy; } >"$dir/lax.cfg"
chmod 644 "$dir/many.cfg" "$dir/lax.cfg"
if [ "$(id -u)" -eq 0 ]; then
	ulimit -n 1000
	refused $nobody "$dir/penstock" -f "$dir/many.cfg"
	says "maxconn 5000 needs"
	says "but the system allows only 1000"
	$nobody "$dir/penstock" -db -f "$dir/lax.cfg" </dev/null >"$dir/said" 2>&1 &
	pid=$!
	listens() { ss -Hltn "sport = :${front##*:}" | grep -q .; }
	check "no strict-limits: it starts" until_true 60 listens
	says "maxconn 5000 needs"
	stop_penstock
fi

say "## nothing to listen on"
printf 'backend b\n\tserver s1 %s\n\ttimeout connect 1s\n\ttimeout server 1s\n' "$back" >"$dir/x.cfg"
timeout 60 "$PENSTOCK" -f "$dir/x.cfg" </dev/null >"$dir/said" 2>&1
check "exit code 1, as of other mistakes" test $? -eq 1
says "there is nothing to start: no section has a 'bind' line"
timeout 60 "$PENSTOCK" -c -f "$dir/x.cfg" </dev/null >"$dir/said" 2>&1
check "exit code 2 of -c: there is no mistake" test $? -eq 2
says "will not start (no listener)"
finish
