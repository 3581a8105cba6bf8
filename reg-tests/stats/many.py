# SPDX-License-Identifier: BSD-2-Clause
"""Asks for the statistics of ten thousand servers; see many.sh.
Usage: many.py HOST:PORT PID [sanitized]"""
import socket
import sys
import threading

from http1 import Answer, Reader
from processes import memory
from service import check, finish

host, port = sys.argv[1].rsplit(":", 1)
pid = sys.argv[2]
sanitized = len(sys.argv) > 3 and sys.argv[3]
TIMEOUT = 300


def ask(path, small=False):
    s = socket.socket()
    s.settimeout(TIMEOUT)
    if small:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    s.connect((host, int(port)))
    s.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
    return s


def read(s):
    """The body, without its chunks; None: it is not complete."""
    answer = Answer(Reader(s).rest())
    return answer.body if answer.status == 200 else None


SMALL = "/stats;csv?scope=fe"

read(ask("/stats"))  # what the first one costs
before = memory(pid)
waiting = [ask("/stats", small=True) for _ in range(20)]
waiting += [ask("/metrics", small=True) for _ in range(20)]
check("others are answered while forty do not read", read(ask(SMALL)) is not None)
grown = memory(pid) - before
print(f"        {grown} kB for forty slow readers")
check("slow readers cost little memory", sanitized or grown < 16384)
page = read(waiting[0])
check("the page is complete", page is not None and page.count(b'id="many/m') == 10000)
check("it has its end", page is not None and b"</footer>" in page)
metrics = read(waiting[20])
check("the metrics are complete",
      metrics is not None and metrics.count(b"haproxy_server_status{") == 50000)
for s in waiting:
    s.close()
csv = read(ask("/stats;csv"))
check("so are the rows", csv is not None and csv.count(b"\nmany,m") == 10000)

# One that reads as fast as it can does not keep others from their turn.
done = threading.Event()


def fast():
    read(ask("/metrics"))
    done.set()


thread = threading.Thread(target=fast)
thread.start()
answered = 0
while not done.is_set():
    answered += read(ask(SMALL)) is not None
thread.join()
print(f"        {answered} answers beside one export")
check("others have their turns", answered >= 5)
finish()
