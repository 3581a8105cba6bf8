# SPDX-License-Identifier: BSD-2-Clause
"""What no_memory.sh describes. Each case is one exchange on a connection of its own; its
allocations fail one after the other, until there is none left to fail."""

import frames
from countdown import Countdown
from http1 import reply
from origin import serve
from service import Service, check, finish

LONG = "Value" * 300
BODY = b"".join(b"%09d\n" % n for n in range(6000))
service = Service("nth", "proxied")
args = service.args
countdown = Countdown(args.nth)


def answer(r):
    """Gives back what it is given, or 30 kB."""
    coded = "transfer-encoding" in r.fields
    return reply(b"chunks" if coded else r.body if "content-length" in r.fields else BODY[:30000], "X-Long: " + LONG)


def exchange(path, body=None, trailers=False, proxy=False, pieces=False):
    """How a request on a connection of its own ends: as Client.ends; None: the connection did."""
    if proxy:
        sock = frames.connect(args.proxied)
        preface = b"PROXY TCP4 192.0.2.1 192.0.2.2 1000 2000\r\n" + frames.PREFACE
    else:
        sock, preface = frames.connect(args.front), frames.PREFACE
    with sock:
        client = frames.Client(None, frames.settings((frames.INITIAL_WINDOW_SIZE, 1 << 20)),
                               preface, sock=sock)
        client.send(frames.window(0, 1 << 24))
        fields = frames.request(path, "POST" if body else "GET",
                                extra=[("x-long", LONG), ("x-src", "192.0.2.9")])
        if body and not trailers:
            fields.append(("content-length", str(len(body))))
        more = b""
        for at in range(0, len(body or b""), 16000):
            part = body[at:at + 16000]
            last = at + 16000 >= len(body) and not trailers
            more += frames.frame(frames.DATA, frames.END_STREAM if last else 0, 1, part)
        if trailers:
            more += frames.headers(1, [("x-sum", LONG)])
        if pieces:  # a head in two frames; nothing may come between them
            client.ping()
            block = frames.block(fields)
            client.send(frames.frame(frames.HEADERS, frames.END_STREAM, 1, block[:700]))
            client.send(frames.frame(frames.CONTINUATION, frames.END_HEADERS, 1, block[700:]))
            return client.ends(1)
        client.open(fields, not body, more)
        return client.ends(1)


CASES = {
    "GET": (("/",), {}, BODY[:30000]),
    "in pieces": (("/",), {"pieces": True}, BODY[:30000]),
    "POST": (("/", BODY), {}, BODY),
    "trailers": (("/", BODY[:20000], True), {}, b"chunks"),
    "PROXY header": (("/src",), {"proxy": True}, BODY[:30000]),
    "GET by HTTP/2": (("/h2",), {}, BODY[:30000]),
    "POST by HTTP/2": (("/h2", BODY), {}, BODY),
    "trailers by HTTP/2": (("/h2", BODY[:20000], True), {}, b"chunks"),
}
MOST = 400  # allocations of one exchange

serve(args.back, answer)
for name, (words, more, expected) in CASES.items():
    whole = (200, expected)
    check(f"{name}: with memory", exchange(*words, **more) == whole)
    n, failed, reached = 0, 0, True
    while reached and n < MOST:
        n += 1
        countdown.set(n)
        end = exchange(*words, **more)
        reached = countdown.left() <= 0
        countdown.set(0)
        failed += end != whole
        if end and end != whole and end[0] not in (500, 502, 503, "reset", "goaway"):
            check(f"{name}, {n}: ends with {str(end)[:80]}", False)
        again = exchange(*words, **more)
        if again != whole:
            check(f"{name}, {n}: the next one ends with {str(again)[:80]}", False)
    check(f"{name}: {n} allocations, {failed} of them ended it", 1 < n < MOST and failed > 0)
finish()
