# SPDX-License-Identifier: BSD-2-Clause
"""What linger.sh describes."""

import socket
import sys
import threading
import time

from http1 import reply, request
from origin import serve_each
from sockets import narrow

front, back = int(sys.argv[1]), int(sys.argv[2])
SIZE = 250000


def origin(s):
    s.recv(65536)
    s.sendall(reply(b"x" * SIZE))


serve_each(f"127.0.0.1:{back}", origin)


def asking():
    """A client with a small buffer that has sent its first request."""
    s = narrow(f"127.0.0.1:{front}", 16384)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    s.sendall(request("/1"))
    return s


def slow(n, pause, size):
    """What a client gets that takes some seconds, and sends all the while."""
    got = 0
    with asking() as s:
        while True:
            time.sleep(pause)
            try:
                s.send(b"x")
            except OSError:
                pass  # the read tells
            want = size
            while want > 0:
                try:
                    data = s.recv(want)
                except OSError:
                    break
                want -= len(data)
                got += len(data)
                if not data:
                    break
            if want > 0:
                break
    slowly[n] = got


# In between the second one takes nothing for longer than an idle connection would be waited for.
slowly = [0, 0]
threads = [threading.Thread(target=slow, args=a) for a in ((0, 0.1, 6000), (1, 2.5, SIZE))]
for thread in threads:
    thread.start()
bad = 0
for _ in range(10):
    with asking() as s:
        got = s.recv(1)  # the response is on its way
        for byte in b"GET /2 HTTP/1.1\r\nHost: a\r\n\r\n" * 3:
            try:
                s.send(bytes([byte]))
            except OSError:
                break
            time.sleep(0.001)  # each byte a piece of its own
        try:
            while data := s.recv(65536):
                got += data
        except OSError:
            pass
        bad += len(got.partition(b"\r\n\r\n")[2]) != SIZE
for thread in threads:
    thread.join()
print("FAILED " if bad else "ok     ", bad, "of 10 responses were cut short")
cut = sum(size < SIZE for size in slowly)
print("FAILED " if cut else "ok     ", cut, "of 2 slow clients lost something:", slowly)
sys.exit(bad + cut > 0)
