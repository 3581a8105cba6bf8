#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What the words of bind and server lines and of proxies ask of the kernel, as it then has it, and
# that it is not asked without them.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "python3 is not installed"; exit 77; }
export SHIM_OPTIONS="$dir/options"
plain=127.0.0.1:$(ports 1) both=127.0.0.1:$(ports 1) greeted=127.0.0.1:$(ports 1)
{
	cat <<END
defaults
	mode tcp
	timeout connect 30s
	timeout client 2m
	timeout server 2m
frontend all
	backlog 44
	bind $front backlog 33 tcp-ut 7s defer-accept tfo
	option clitcpka
	clitcpka-cnt 3
	clitcpka-idle 11s
	clitcpka-intvl 5s
	option tcp-smart-accept
	default_backend all
frontend plain
	backlog 44
	bind $plain
	default_backend plain
backend all
	option srvtcpka
	srvtcpka-cnt 4
	srvtcpka-idle 12s
	srvtcpka-intvl 6s
	option tcp-smart-connect
	server s1 $back tcp-ut 8s tfo
backend plain
	default-server tfo
	server s1 $back no-tfo
listen greeted
	bind $greeted
	server s1 $back tfo
listen both
	option tcpka
	bind $both
	server s1 $back
END
} | config
start_penstock

# asked PORT NAME VALUE, not_asked PORT NAME: of the socket at this port; 0: towards the server.
asked() { check "$1: $2 is $3" grep -qx "${1##*:} $2 $3" "$SHIM_OPTIONS"; }
not_asked() { check "$1: $2 is not set" sh -c '! grep -q "$1" "$2"' sh "^${1##*:} $2 [^0]" "$SHIM_OPTIONS"; }

say "## towards clients"
asked $front listen 33
asked $front TCP_USER_TIMEOUT 7000
asked $front TCP_DEFER_ACCEPT '[1-9]'
asked $front TCP_FASTOPEN 33
asked $front SO_KEEPALIVE 1
asked $front TCP_KEEPCNT 3
asked $front TCP_KEEPIDLE 11
asked $front TCP_KEEPINTVL 5
asked $front TCP_QUICKACK 0
asked $plain listen 44
for name in TCP_USER_TIMEOUT TCP_DEFER_ACCEPT TCP_FASTOPEN SO_KEEPALIVE TCP_QUICKACK; do
	not_asked $plain $name
done
asked $both SO_KEEPALIVE 1

# of_server FRONT: one session through it; what was asked for its connection to the server.
of_server() {
	: >"$SHIM_OPTIONS"
	"$tool" -f "$1" -b "$back" -p "$pid" -s "$stats" -n 1 fin || fail "a session through $1"
}
say "## towards servers"
of_server $front
asked 0 SO_KEEPALIVE 1
asked 0 TCP_KEEPCNT 4
asked 0 TCP_KEEPIDLE 12
asked 0 TCP_KEEPINTVL 6
asked 0 TCP_USER_TIMEOUT 8000
asked 0 TCP_QUICKACK 0
of_server $plain
for name in SO_KEEPALIVE TCP_USER_TIMEOUT TCP_FASTOPEN_CONNECT TCP_QUICKACK; do
	not_asked 0 $name
done
of_server $both
asked 0 SO_KEEPALIVE 1

# talk FRONT WORDS: a server that speaks first greets a client that has sent WORDS before.
talk() {
	: >"$SHIM_OPTIONS"
	timeout 60 python3 -c '
import socket, sys
front, back = ((a.rsplit(":", 1)[0], int(a.rsplit(":", 1)[1])) for a in sys.argv[1:3])
with socket.create_server(back) as listener, socket.create_connection(front) as client:
	client.sendall(sys.argv[3].encode())
	server = listener.accept()[0]
	server.sendall(b"220 hello")
	sys.exit(client.recv(100) != b"220 hello")
' "$1" "$back" "$2"
	check "a greeting behind '$2'" test $? -eq 0
}
say "## tfo: the SYN waits for bytes, so there must be some"
talk $greeted ""
not_asked 0 TCP_FASTOPEN_CONNECT
talk $front "bytes"
asked 0 TCP_FASTOPEN_CONNECT 1
finish
