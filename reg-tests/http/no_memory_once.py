# SPDX-License-Identifier: BSD-2-Clause
"""What no_memory_once.sh describes."""

import mmap
import os
import socket
import struct
import threading

from service import Service, address, check, connect, finish, read_all

service = Service()
seen = []  # the connection over which each request has come
listener = socket.create_server(address(service.args.back))
with open(os.path.join(service.args.dir, "nth"), "r+b") as f:
    countdown = mmap.mmap(f.fileno(), 8)


def serve(s, number):
    """Keeps its connection behind /first, not behind /second."""
    with s:
        while True:
            got = b""
            while b"\r\n\r\n" not in got:
                piece = s.recv(65536)
                if not piece:
                    return
                got += piece
            seen.append(number)
            last = b"/second" in got
            s.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n%s\r\n" % (b"Connection: close\r\n" if last else b""))
            if last:
                return


def guarded(*words):
    try:
        serve(*words)
    except OSError:
        pass


def accept():
    number = 0
    while True:
        s, _ = listener.accept()
        number += 1
        threading.Thread(target=guarded, args=(s, number), daemon=True).start()


def get(path):
    """Was it answered with 200?"""
    try:
        with connect(service.args.front) as s:
            s.sendall(b"GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" % path)
            return read_all(s).startswith(b"HTTP/1.1 200 ")
    except OSError:
        return False


threading.Thread(target=accept, daemon=True).start()
once = failed = n = 0
while True:
    n += 1
    struct.pack_into("q", countdown, 0, n)
    served = get(b"/first")
    reached = struct.unpack_from("q", countdown, 0)[0] <= 0
    struct.pack_into("q", countdown, 0, 0)
    check(f"{n}: the next one is served", get(b"/second"))
    if not reached:
        break
    failed += not served
    once += served and seen[-1] != seen[-2]
print(f"        {n - 1} allocations: {failed} needed, {once} to keep the connection")
check("what was kept is used again", served and seen[-1] == seen[-2])
check("without memory for that it is used once", once == 1)
finish()
