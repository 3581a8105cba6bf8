# SPDX-License-Identifier: BSD-2-Clause
"""What passwords.sh describes."""

import base64
import time

from http1 import Reader
from service import Service, check, connect, finish, read_all

service = Service()
FLOOD = 60


def ask(s, path, word=None, close=False):
    login = "Authorization: Basic %s\r\n" % base64.b64encode(("u:" + word).encode()).decode() if word else ""
    s.sendall(("GET %s HTTP/1.1\r\nHost: x\r\n%s%s\r\n" % (path, login, "Connection: close\r\n" if close else "")).encode())


def answer(s):
    return int(Reader(s).head().split()[1])


def timed(s, *words):
    begin = time.monotonic()
    ask(s, *words)
    status = answer(s)
    return status, time.monotonic() - begin


def runs():
    return int(service.info("show activity")["crypt_runs"].split()[0])


kept = connect(service.args.front)
status, first = timed(kept, "/", "right")
check("the right password lets in", status == 200)
status, again = timed(kept, "/", "right")
check("also once more, without crypt(3)", status == 200 and runs() == 1)

flood = [connect(service.args.front) for _ in range(FLOOD)]
for n, s in enumerate(flood):
    ask(s, "/", "wrong%d" % n, True)
worst, served = 0, 0
while runs() < FLOOD and served < 10000:
    for words in ("/free",), ("/", "right"):
        status, spent = timed(kept, *words)
        worst, served = max(worst, spent), served + (status == 200)
check("others were served in between: %d" % served, served >= 10)
check("none waited for the flood: at most %.1f ms, one password takes %.1f ms" % (worst * 1000, first * 1000),
      worst < max(first, 0.01) * FLOOD / 4)
said = [read_all(s) for s in flood]
check("each of the flood is refused", all(one.startswith(b"HTTP/1.1 401") for one in said))
check("crypt(3) has run once for each", runs() == FLOOD + 1)

gone = [connect(service.args.front) for _ in range(FLOOD)]
for n, s in enumerate(gone):
    ask(s, "/", "gone%d" % n)
for s in gone:
    s.close()
status, _ = timed(kept, "/free")
check("clients that leave while they wait do no harm", status == 200)
status, _ = timed(kept, "/", "right")
check("and the right one is still known", status == 200)
finish()
