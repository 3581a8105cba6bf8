#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A server that says 1xx again and again does not keep other clients waiting: what it says in a turn
# is bounded. The program sleeps while both a thousand 103 and another client's request arrive; the
# other client is served first.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "python3 is not installed"; exit 77; }
{
	printf '\tlog stdout format raw local0\n'
	http_defaults
	cat <<END
	log global
	log-format "%HU %B"
frontend fe
	bind $front
	http-request return status 200 if { path_beg /other }
	default_backend be
backend be
	server s1 $back
END
} | config
start_penstock
timeout 100 python3 - "${front##*:}" "${back##*:}" "$pid" <<'END' || fail "1xx"
import os, signal, socket, sys, time

front, back, pid = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
listener = socket.create_server(("127.0.0.1", back))
HINTS = b"HTTP/1.1 103 Early Hints\r\n\r\n" * 1000
FINAL = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def ask(sock, path):
    sock.sendall(b"GET %s HTTP/1.1\r\nHost: a\r\n\r\n" % path)


def take(sock, end):
    got = b""
    while not got.endswith(end):
        piece = sock.recv(65536)
        if not piece:
            sys.exit("the connection was closed")
        got += piece
    return got


other = socket.create_connection(("127.0.0.1", front))
ask(other, b"/other")
take(other, b"\r\n\r\n")
flooded = socket.create_connection(("127.0.0.1", front))
ask(flooded, b"/flooded")
server = listener.accept()[0]
take(server, b"\r\n\r\n")
os.kill(pid, signal.SIGSTOP)
while open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0] != "T":
    time.sleep(0.01)
server.sendall(HINTS + FINAL)
ask(other, b"/other/late")
os.kill(pid, signal.SIGCONT)
take(other, b"\r\n\r\n")
got = take(flooded, b"\r\n\r\nok")
sys.exit(got != HINTS + FINAL and f"{got.count(b'103')} of 1000 came")
END
until_true 30 grep -q '^/flooded' "$log"
check "the other client was served first" test "$(grep -n '^/other/late' "$log" | cut -d: -f1)" -lt \
	"$(grep -n '^/flooded' "$log" | cut -d: -f1)"
finish
