#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# bind ... transparent listens on an address that no interface has; v6only and v4v6 say whether a
# socket of all IPv6 addresses takes IPv4, too.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "python3 is not installed"; exit 77; }
port=$(ports 1)
hex=$(printf %04X "$port")
listens() { grep -q ": $1:$hex 0*:0000 0A " "$2"; }

say "## transparent"
front=192.0.2.77:$port
bind_words=transparent
tcp_proxy | config
start_penstock
check "it listens on an address of nobody's" listens 4D0200C0 /proc/net/tcp
stop_penstock
bind_words=
tcp_proxy | config
timeout 60 "$PENSTOCK" -db -f "$dir/cfg" </dev/null >"$log" 2>&1
check "without the word it does not start" test $? -eq 1
check "and says so" grep -q "No interface of this machine has this address" "$log"

# Somebody connects to the port of 127.0.0.1.
taken() {
	timeout 20 python3 -c 'import socket, sys
sys.exit(socket.socket().connect_ex(("127.0.0.1", int(sys.argv[1]))) != 0)' "$port"
}
refused() { ! taken; }
[ -e /proc/net/if_inet6 ] || { say "no IPv6 here"; finish; }
front=:::$port
say "## v4v6"
bind_words=v4v6
tcp_proxy | config
start_penstock
check "all IPv6 addresses" listens 00000000000000000000000000000000 /proc/net/tcp6
check "and IPv4" taken
stop_penstock
say "## v6only"
bind_words=v6only
tcp_proxy | config
start_penstock
check "all IPv6 addresses" listens 00000000000000000000000000000000 /proc/net/tcp6
check "and not IPv4" refused
finish
