# SPDX-License-Identifier: BSD-2-Clause
"""One way in which a connection is closed with an answer on its way: see close_queued.sh."""
import os
import signal
import socket
import ssl
import threading

from service import PATIENCE, Service, address, check, connect, finish, until

SIZE = 150000
BODY = bytes(range(250)) * (SIZE // 250)
service = Service(lambda parser: parser.add_argument("--way"))
way, pid = service.args.way, service.args.pid
host, port = address(service.args.front)


def received(conn):
    try:
        return conn.recv(65536)
    except OSError:
        return b""


def serve(conn):
    got = b""
    while piece := received(conn):
        got += piece
        while b"\r\n\r\n" in got:
            head, got = got.split(b"\r\n\r\n", 1)
            if head.startswith(b"GET /die"):
                conn.close()
                return
            body = BODY if head.startswith(b"GET /big") else b""
            conn.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)


def origin(listener):
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()


def get(path):
    return b"GET /%s HTTP/1.1\r\nHost: x\r\n\r\n" % path.encode()


def asking():
    """A client with a small buffer, connected."""
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    s.settimeout(PATIENCE)
    s.connect((host, port))
    if not way.endswith("tls"):
        return s
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context.wrap_socket(s)


def established(client_port):
    """Penstock's side of the connection is open in both directions."""
    with open("/proc/net/tcp") as f:
        rows = [line.split() for line in f]
    ends = f":{port:04X}", f":{client_port:04X}"
    return any(row[1].endswith(ends[0]) and row[2].endswith(ends[1]) and row[3] == "01"
               for row in rows)


def gone():
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def rest(client):
    """All that comes, to a client that sends something before each piece."""
    got = b""
    while True:
        try:
            client.send(b"x")
        except OSError:
            pass  # the read tells
        try:
            piece = client.recv(8192)
        except OSError as error:
            return got, error
        if not piece:
            return got, None
        got += piece


threading.Thread(target=origin, args=(socket.create_server(address(service.args.back)),),
                 daemon=True).start()
if way == "reused":
    with connect(service.args.front) as other:
        other.sendall(get("warm"))
        other.recv(1000)
client = asking()
client.sendall(get("big") + (get("die") if way == "reused" else b""))
until("the answer has left", lambda: service.logged("/big done"))
if way.startswith("stop"):
    os.kill(pid, signal.SIGUSR1)
    until("penstock stops", lambda: service.logged("Proxy fe stopped"))
until("penstock has closed its side", lambda: not established(client.getsockname()[1]))
if way == "stop-hard":
    until("the process ends", gone)
    check("by hard-stop-after", service.logged("performing a hard-stop") == 1)
else:
    got, error = rest(client)
    body = got.partition(b"\r\n\r\n")[2]
    check(f"{way}: {len(body)} of {SIZE} bytes came, {error}", body == BODY)
    if way.startswith("stop"):
        check("the process did not wait for the hard stop", not service.logged("hard-stop"))
        client.close()
        until("the process ends", gone)
finish()
