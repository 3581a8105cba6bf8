# SPDX-License-Identifier: BSD-2-Clause
"""What limits.sh describes."""

import zlib

from http1 import reply
from origin import serve
from service import Service, check, finish, until

sv = Service("what")
what = sv.args.what
BODY = (b"<p>nothing but text that compresses well</p>\n" * 24000)[:1 << 20]


serve(sv.args.back, lambda r: reply(BODY, "Content-Type: text/html"))


def get():
    """(worker, compressed, bytes of the body on the wire); the body is checked."""
    got = sv.fetch("/", "Accept-Encoding: gzip")
    packed = got.fields.get("content-encoding") == "gzip"
    whole = zlib.decompress(got.body, 47) if packed else got.body
    assert whole == BODY, "the body is another one"
    return got.fields["x-proc"], packed, len(got.body)


def again():
    return get()[1]


if what == "rate":
    worker, packed, size = get()
    check("the first one is compressed, less and less: %d bytes of %d" % (size, len(BODY)),
          packed and len(BODY) // 4 < size)
    check("the limit is shown", int(sv.info()["CompressBpsRateLim"]) == 102400)
    # The rate is of the last second: where the machine stood still, once more.
    until("the next ones are not compressed", lambda: not again())
    check("and counted", int(sv.stat("l", "FRONTEND")["comp_byp"]) >= len(BODY))
    check("the limit is taken away", "http-compression" not in sv.ask("set rate-limit http-compression global 0"))
    worker, packed, size = get()
    check("without it, one is compressed well: %d bytes" % size, packed and size < len(BODY) // 10)
    until("rates are shown", lambda: get() and int(sv.info()["CompressBpsIn"]) > int(sv.info()["CompressBpsOut"]) > 0)
    sv.ask("set rate-limit http-compression global 100")
    until("compression stops", lambda: not again())
    until("it comes back when less was compressed for a while", again)
if what == "workers":
    def other():
        first = get()
        for i in range(50):
            worker, packed, size = get()
            if worker != first[0]:
                return not packed
        return False
    until("what one worker compresses counts for the other", other)
if what == "cpu":
    until("a busy process compresses no more", lambda: not again())
    until("an idle one does", again)
    check("no rate is limited", int(sv.info()["CompressBpsRateLim"]) == 0)
if what == "free":
    check("100 is no limit", all(again() for i in range(30)))
finish()
