# SPDX-License-Identifier: BSD-2-Clause
"""What shared_bandwidth.sh describes."""

import threading
import time

from http1 import reply
from origin import serve
from service import PATIENCE, Service, ask, check, finish, until

sv = Service()
K = 1024
hold = threading.Event()


def answer(r):
    body = b"x" * int(r.path.split("/")[2].split("?")[0])
    said = reply(body)
    if "/hold" in r.path:
        r.s.sendall(said[:len(said) - len(body)])
        hold.wait(PATIENCE)
        return body
    return said


serve(sv.args.back, answer)


def get(path, src="127.0.0.1", more=(), post=b""):
    """Seconds until the answer was there."""
    begin = time.monotonic()
    got = sv.fetch(path, *more, source=src, body=post)
    if len(got.body) != int(path.split("/")[2].split("?")[0]):
        check(f"{path} of {src} came whole", False)
    return time.monotonic() - begin


def at_once(*calls):
    """The seconds of each."""
    took = [None] * len(calls)
    def one(i):
        took[i] = get(**calls[i])
    threads = [threading.Thread(target=one, args=(i,)) for i in range(len(calls))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return took


def say(took):
    return ", ".join("%.2f" % t for t in took)


def within(sentence, took, least, most):
    check("%s: %s s, of %.2f to %.2f" % (sentence, say(took), least, most),
          all(least <= t <= most for t in took))


SLACK = 4 # of the machine; what was allowed in a tenth of a second may come before its time
mine = dict(path="/down/204800")
within("a stream alone", at_once(mine), 0.85, 1.0 + SLACK)
took = at_once(mine, mine, mine, dict(path="/down/204800", src="127.0.0.2"), dict(path="/other/3000000"))
within("three have the limit together", took[:3], 1.0, 3.0 + SLACK)
check("the last of them is as late as three times the bytes", max(took[:3]) > 2.6)
within("another client has its own", took[3:4], 0.85, 1.0 + SLACK)
check("without a limit nobody waits (%.2f s)" % took[4], took[4] < 1.0 + SLACK)

token = lambda path, t, n: dict(path=path, more=[f"X-Token: {t}"] if t else [], post=b"y" * n)
took = at_once(token("/up/1", "a", 100 * K), token("/up/2", "a", 100 * K), token("/up/3", "b", 100 * K),
               token("/up/4", "", 2000 * K))
check("uploads of a token: %s s" % say(took[:2]), max(took[:2]) > 1.75)
within("of another one", took[2:3], 0.85, 1.0 + SLACK)
check("without a token nobody waits (%.2f s)" % took[3], took[3] < 1.0 + SLACK)

took = at_once(*[dict(path="/named/102400?name=a")] * 2, dict(path="/named/102400?name=b"))
check("the table of the section, in half a second: %s s" % say(took), max(took[:2]) > 0.8)
within("another name", took[2:], 0.35, 0.5 + SLACK)

# One that holds its part and asks for nothing: the other one has all when a period has passed.
idle = threading.Thread(target=get, args=("/down/1/hold", "127.0.0.3"))
idle.start()
table = lambda: ask(sv.args.stats, "show table down")
until("it is there", lambda: [l for l in table().splitlines() if "key=127.0.0.3 use=1" in l])
took = get("/down/614400", "127.0.0.3")
check("what one leaves the other has: %.2f s, of 3.0 to 6.0" % took, 2.8 < took < 6.0)
hold.set()
idle.join()

until("nobody is left in the tables", lambda: all(
    "use=0" in line for name in ("down", "up", "fe")
    for line in ask(sv.args.stats, "show table " + name).splitlines() if "key=" in line))
rate = [l for l in table().splitlines() if "key=127.0.0.1 " in l]
check("the rate is the table's: " + rate[0], "bytes_out_rate(1000)=" in rate[0])
finish()
