# SPDX-License-Identifier: BSD-2-Clause
"""What http2_no_memory.sh describes: the server. Its answers need all the memory that there is to
need: pieces of frames and of heads, the dynamic table, trailers."""

import queue
import socket

import frames
from countdown import Countdown
from frames import CONTINUATION, DATA, END_HEADERS, GOAWAY, HEADERS, frame, settings
from h2_peer import Gone, Peer
from origin import serve_each
from service import Service, check, finish

service = Service("nth")
countdown = Countdown(service.args.nth)
results = queue.Queue()  # True: a check has got its answer


def answer(peer):
    head = frames.block([(":status", "200"), ("content-type", "application/grpc")]) + \
        frames.literal("x-a", "b", True)
    data = frame(HEADERS, 0, 1, head[:9]) + frame(CONTINUATION, END_HEADERS, 1, head[9:]) + \
        frame(DATA, 0, 1, b"\0\0\0\0\2\x08\1")
    peer.request(settings()[:5])
    peer.send(settings()[5:] + data[:20])
    peer.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    peer.slowly(data[20:] + frames.headers(1, [("grpc-status", "0")]))
    peer.wait(GOAWAY)


def serve(client):
    peer = Peer(client)
    try:
        answer(peer)
        results.put(peer.seen[-1].code == 0)
    except (OSError, Gone):
        results.put(False)


serve_each(service.args.back, serve)
while not results.get(timeout=120):
    pass
failed = 0
for n in range(1, 100):
    countdown.set(n)
    while not results.get(timeout=120):
        pass
    if countdown.left() > 0:
        break
    failed += 1
countdown.set(0)
check("each of %d allocations has failed, and the next check has not" % failed, 5 <= failed < 99)
check("the server is up", service.stat("be", "s1")["status"] == "UP")
finish()
