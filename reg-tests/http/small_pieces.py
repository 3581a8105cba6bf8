# SPDX-License-Identifier: BSD-2-Clause
"""What small_pieces.sh describes."""

import sys
import time

from http1 import Reader, request
from origin import serve_each
from service import connect


front, back = sys.argv[1:]
ROUNDS = 50


def origin(conn):
    reader = Reader(conn)
    while reader.head() is not None:
        conn.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
        conn.sendall(b"hello")


serve_each(back, origin)


def ask(conn):
    conn.sendall(request())
    if Reader(conn).message() is None:
        sys.exit("FAILED  closed without an answer")


# Held back, they take 2 s at least, whatever the machine; else only a very busy one needs as long.
for attempt in range(10):
    begin = time.monotonic()
    with connect(front) as conn:
        for _ in range(ROUNDS):
            ask(conn)
    took = time.monotonic() - begin
    if took < ROUNDS * 0.02:
        print("ok      nothing is held back")
        break
else:
    sys.exit("FAILED  %d answers took %.1f s" % (ROUNDS, took))
