# SPDX-License-Identifier: BSD-2-Clause
"""One way in which a connection is closed with an answer on its way: see close_queued.sh."""
import os
import signal
import socket
import struct
import time

from http1 import Reader, reply
from origin import serve_each
from service import PATIENCE, Service, address, check, connect, finish, until
from sockets import any_server

SIZE = 150000
BODY = bytes(range(250)) * (SIZE // 250)
service = Service("way", "nth")
way, pid = service.args.way, service.args.pid
host, port = address(service.args.front)


def serve(conn):
    if "tcp" in way:
        conn.sendall(b"\r\n\r\n" + BODY)
        while conn.recv(65536):
            pass
    reader = Reader(conn)
    while (head := reader.head()) is not None:
        if head.startswith(b"GET /die"):
            return
        if head.startswith(b"GET /half"):
            conn.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhalf")
            return
        conn.sendall(reply(BODY if head.startswith(b"GET /big") else b""))


def get(path):
    return b"GET /%s HTTP/1.1\r\nHost: x\r\n\r\n" % path.encode()


LEFT = b"\0\0\x08\6\1\0\0\0\0leaving."  # the answer to the PING behind the first GOAWAY
H2 = "h2" in way
SOME = b"\0\0\x08\6\0\0\0\0\0" + 8 * b"x" if H2 else b"x"  # what the client sends meanwhile: PING


def h2_get(path):
    """The begin of a connection of HTTP/2 whose windows never close, and a request."""
    block = b"\x82\x86\x41\1x\4" + bytes([len(path) + 1]) + b"/" + path.encode()
    return (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\6\4\0\0\0\0\0\0\4\x3f\0\0\0" +
            b"\0\0\4\x08\0\0\0\0\0\x3f\0\0\0" + bytes([0, 0, len(block), 1, 5, 0, 0, 0, 1]) + block)


def frames(data):
    while len(data) >= 9:
        size = 9 + int.from_bytes(data[:3], "big")
        yield data[3], data[9:size]
        data = data[size:]


def asking():
    """A client with a small buffer, connected."""
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    s.settimeout(PATIENCE)
    s.connect((host, port))
    if not way.endswith("tls"):
        return s
    context = any_server()
    return context.wrap_socket(s)


def sides(client_port):
    """The state of penstock's side of the connection, and the inode of the socket."""
    with open("/proc/net/tcp") as f:
        rows = [line.split() for line in f]
    ends = f":{port:04X}", f":{client_port:04X}"
    return [(row[3], row[9]) for row in rows
            if row[1].endswith(ends[0]) and row[2].endswith(ends[1])]


def established(client_port):
    """It is open in both directions."""
    return any(state == "01" for state, _ in sides(client_port))


def left_to_kernel(client_port):
    """The process has no descriptor of it any more."""
    return all(inode == "0" for _, inode in sides(client_port))


def deny_memory():
    """The next allocation fails."""
    with open(service.args.nth, "r+b") as f:
        f.write(struct.pack("q", 1))


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
            client.send(SOME)
        except OSError:
            pass  # the read tells
        try:
            piece = client.recv(8192)
        except OSError as error:
            return got, error
        if not piece:
            return got, None
        got += piece


serve_each(service.args.back, serve)
if way == "reused":
    with connect(service.args.front) as other:
        other.sendall(get("warm"))
        other.recv(1000)
client = asking()
BEHIND = {"reused": get("die"), "broken": get("half"), "reject": get("reject")}
client.sendall(h2_get("big") if H2 else get("big") + BEHIND.get(way, b""))
until("the answer has left", lambda: service.logged("/big done" if "tcp" in way else "/big done 200"))
if way == "unsaid-tls":
    os.write(client.fileno(), b"\x17\x03\x03\x00\x40half")  # of a record: an event, and nothing to read
if way == "h2-deaf":
    began = time.monotonic()
    until("the connection is left", lambda: left_to_kernel(client.getsockname()[1]))
    took = time.monotonic() - began
    check(f"h2-deaf: after {took:.1f} s, by timeout client-fin", took < 15)
    finish()
if way == "memory-h2":
    deny_memory()
    client.sendall(SOME[:5])  # a part of a frame has to be kept
if "stop" in way:
    os.kill(pid, signal.SIGUSR1)
    until("penstock stops", lambda: service.logged("Proxy fe stopped"))


def closed():
    if not established(client.getsockname()[1]):
        return True
    if H2 and way != "memory-h2":
        client.send(LEFT)
    return False


until("penstock has closed its side", closed)
if way == "memory-h2":
    with open(service.args.nth, "rb") as f:
        check("memory-h2: an allocation was denied", struct.unpack("q", f.read(8)) == (0,))
if way == "stop-hard":
    until("the process ends", gone)
    check("by hard-stop-after", service.logged("performing a hard-stop") == 1)
else:
    got, error = rest(client)
    body = got.partition(b"\r\n\r\n")[2]
    if H2:
        kinds = [kind for kind, _ in frames(got)]
        if way != "memory-h2":
            check(f"{way}: GOAWAY comes last: {kinds}", 7 in kinds[-3:])
        body = b"".join(data for kind, data in frames(got) if kind == 0)
    if way == "broken":
        check("broken: the begin of the second answer came", body.endswith(b"\r\n\r\nhalf"))
        body = body[:SIZE]
    check(f"{way}: {len(body)} of {SIZE} bytes came, {error}", body == BODY)
    if "stop" in way:
        check("the process did not wait for the hard stop", not service.logged("hard-stop"))
        client.close()
        until("the process ends", gone)
finish()
