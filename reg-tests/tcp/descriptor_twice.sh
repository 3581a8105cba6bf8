#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A listening socket that the parent passes on may stand in several bind lines, of one frontend and
# of others: penstock starts, also with workers, and each connection is served by one of them.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "python3 is not installed"; exit 77; }

# Opens the socket, and becomes penstock with it as descriptor 9.
cat >"$dir/pass.py" <<'END'
import os, socket, sys
host, port = sys.argv[1].rsplit(":", 1)
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind((host, int(port)))
s.listen(64)
os.dup2(s.fileno(), 9, inheritable=True)
os.execv(sys.argv[2], sys.argv[2:])
END
cat >"$dir/asks.py" <<'END'
import socket, sys
host, port = sys.argv[1].rsplit(":", 1)
served = 0
for i in range(20):
    with socket.create_connection((host, int(port)), timeout=60) as s:
        s.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        got = b""
        while piece := s.recv(1000):
            got += piece
        served += got.startswith(b"HTTP/1.1 200 ") and got.endswith((b"by f", b"by g"))
print(served)
END
served() { test "$(python3 "$dir/asks.py" "$front")" = 20; }

run_as="python3 $dir/pass.py $front"
{
	http_defaults
	cat <<END
frontend f
	bind fd@9
	bind fd@9
	http-request return status 200 content-type text/plain string "by f"
frontend g
	bind fd@9
	http-request return status 200 content-type text/plain string "by g"
END
} | config
start_penstock
check "three lines, one process: 20 connections are served" served
stop_penstock
start_workers
check "with workers, too" served
finish
