#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# SIGUSR1: no new connections, the present ones go on to their end, then the process leaves with 0.
. "${0%/*}/../lib.sh"

tcp_proxy | config
start_penstock
python3 - "$front" "$back" "$pid" <<'END' || failures=1
import os, signal, socket, sys, time

def address(text):
    host, port = text.rsplit(":", 1)
    return host, int(port)

front, back, pid = address(sys.argv[1]), address(sys.argv[2]), int(sys.argv[3])
origin = socket.socket()
origin.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
origin.bind(back)
origin.listen(5)
client = socket.create_connection(front, timeout=60)
server = origin.accept()[0]
server.settimeout(60)
os.kill(pid, signal.SIGUSR1)
deadline = time.monotonic() + 60
while time.monotonic() < deadline:
    try:
        socket.create_connection(front, timeout=60).close()
        time.sleep(0.02)
    except (ConnectionRefusedError, ConnectionResetError):
        break
else:
    sys.exit("FAILED  it still takes connections")
print("ok      no new connections")
client.sendall(b"still here")
assert server.recv(100) == b"still here"
server.sendall(b"so am I")
assert client.recv(100) == b"so am I"
os.kill(pid, 0)
print("ok      the present one goes on")
client.close()
assert server.recv(100) == b""
END
wait "$pid"
status=$?
pid=
check "it leaves with 0 (was $status)" test "$status" -eq 0
check "it said what it waits for" grep -q "sessions to finish" "$log"
# ---- a reload that is under way is given up --------------------------------------------------
start_penstock -W
python3 - "$front" "$pid" "$back" "$log" <<'END' || failures=1
import os, signal, socket, sys, time

def address(text):
    host, port = text.rsplit(":", 1)
    return host, int(port)

def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as f:
        return len(f.read().split())

origin = socket.socket()
origin.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
origin.bind(address(sys.argv[3]))
origin.listen(5)
client = socket.create_connection(address(sys.argv[1]), timeout=60)
server = origin.accept()[0]
# Both wait for it when it goes on: the files cannot have been read in between.
for signo in signal.SIGSTOP, signal.SIGHUP, signal.SIGUSR1, signal.SIGCONT:
    os.kill(int(sys.argv[2]), signo)
deadline = time.monotonic() + 60
while True: # until the signals were heard, and nobody reads files any more
    log = open(sys.argv[4]).read()
    if "files are read" in log and "Soft stop" in log and children(sys.argv[2]) == 1:
        break
    assert time.monotonic() < deadline
    time.sleep(0.02)
END
wait "$pid"
status=$?
pid=
check "it ends after HUP and USR1 (was $status)" test "$status" -eq 0
check "it began a reload" grep -q "the files are read" "$log"
check "and did not carry it out" sh -c '! grep -q "executing the program anew" "$1"' sh "$log"
finish
