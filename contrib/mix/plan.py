# SPDX-License-Identifier: BSD-2-Clause
"""What an exchange does. Client and server both derive it from the seed and the exchange's name,
and every byte of a body follows from the name and its place."""
import hashlib
import random


def text(ident, way, start, n):
    tag = hashlib.sha1((ident + way).encode()).hexdigest()[:7].encode()
    first = start // 16
    rows = b"".join(b"%s%08d\n" % (tag, i) for i in range(first, (start + n) // 16 + 1))
    return rows[start - first * 16:start - first * 16 + n]


SIZES = (0, 0, 1, 15, 100, 1000, 1460, 4096, 9000, 16000, 16383, 16384, 16400, 20000, 70000, 300000)


class Plan:
    """What an exchange does; both sides know it by its name."""

    def __init__(self, run, ident):
        r = random.Random("%s/%s" % (run.seed, ident))
        c = r.choice
        self.ident = ident
        self.method = c(["GET"] * 6 + ["POST"] * 5 + ["HEAD", "PUT", "OPTIONS", "DELETE"])
        self.req_frame = c(["none", "length", "chunked"]) if self.method in ("POST", "PUT") else \
            c(["none"] * 9 + ["length"])
        self.req_size = c(SIZES) if self.req_frame != "none" else 0
        self.minor = 0 if r.random() < .1 and self.req_frame != "chunked" else 1
        self.expect = self.req_frame != "none" and self.minor and r.random() < .2
        self.close = r.random() < .1
        self.keep10 = self.minor == 0 and r.random() < .5
        self.gzip = r.random() < .3
        self.cookie = c(["", "", "SRV=s1", "SRV=s2; a=b", "a=b; SRV=nobody; c=d", "JSID=s1~xyz"])
        self.pad = c([0] * 6 + [100, 1000, 3000])
        self.trailers = r.random() < .3
        self.path = "/%s/%s" % (c(["a", "b", "c", "img", "api"]), ident)
        if r.random() < .2:
            self.path += "?x=%d&id=%d&s=%s" % (r.randrange(9), r.randrange(99), "y" * r.randrange(60))
        # the answer
        self.status = c([200] * 10 + [404, 500, 503, 302, 401, 204, 304, 206, 425])
        self.res_frame = c(["length", "length", "chunked", "close"])
        self.res_size = c(SIZES)
        self.interim = c([[]] * 8 + [[103], [100], [103, 103], [102, 100, 103] * 3])
        self.early = r.random() < .15
        self.fault = c([None] * 12 + ["fin", "fin", "rst", "rst", "silent", "junk", "extra", "empty", "resetreq"])
        self.fault_at = r.random()
        self.res_close = r.random() < .15
        self.res_old = self.res_frame == "close" and r.random() < .3
        self.res_pieces = c(["whole"] * 4 + ["some", "some", "bytes"])
        self.delay = c([0] * 10 + [.01, .05, .3])
        self.res_pad = c([0] * 6 + [100, 1000, 3000])
        self.res_trailers = r.random() < .3
        self.only_first = r.random() < .5      # the fault comes at the first attempt alone
        self.seedling = r.random()

    def body(self, way, start, n):
        return text(self.ident, way, start, n)

    def chunks(self, r, way, size, trailers):
        out, at = [], 0
        while at < size:
            n = min(size - at, r.choice([1, 10, 100, 1000, 5000, 20000, 100000]))
            ext = r.choice([b"", b"", b"", b";a", b";a=b", b';a="b;c\\"d"'])
            out.append(b"%x%s\r\n" % (n, ext) + self.body(way, at, n) + b"\r\n")
            at += n
        out.append(b"0\r\n" + (b"X-Trailer: t\r\nX-Other: u\r\n" if trailers else b"") + b"\r\n")
        return b"".join(out)

    def request(self):
        r = random.Random(self.seedling)
        head = "%s %s HTTP/1.%d\r\nHost: %s\r\nX-Id: %s\r\n" % (
            self.method, self.path, self.minor, r.choice(["a.example", "b.example:80", "c"]), self.ident)
        if self.close:
            head += "Connection: close\r\n"
        elif self.keep10:
            head += "Connection: keep-alive\r\n"
        elif r.random() < .1:
            head += "Connection: x-hop\r\nX-Hop: 1\r\n"
        if self.gzip:
            head += "Accept-Encoding: gzip, deflate\r\n"
        if self.cookie:
            head += "Cookie: %s\r\n" % self.cookie
        if self.pad:
            head += "X-Pad: %s\r\n" % ("p" * self.pad)
        if r.random() < .2:
            head += "Authorization: Basic %s\r\n" % r.choice(["am9lOnNlY3JldA==", "bm9wZQ==", "eDp5"])
        if self.expect:
            head += "Expect: 100-continue\r\n"
        body = b""
        if self.req_frame == "length":
            head += "Content-Length: %d\r\n" % self.req_size
            body = self.body("q", 0, self.req_size)
        elif self.req_frame == "chunked":
            head += "Transfer-Encoding: chunked\r\n"
            body = self.chunks(r, "q", self.req_size, self.trailers)
        return head.encode() + b"\r\n", body

    def bare(self):
        return self.method == "HEAD" or self.status in (204, 304)

    def response(self):
        r = random.Random(self.seedling + 1)
        head = "HTTP/1.%d %d %s\r\nX-Id: %s\r\n" % (0 if self.res_old else 1, self.status,
                                                 r.choice(["OK", "", "Some reason"]), self.ident)
        head += "Content-Type: %s\r\n" % r.choice(["text/plain", "text/html", "image/png"])
        if r.random() < .2:
            head += "Set-Cookie: SRV=%s; path=/\r\n" % r.choice(["s1", "s2", "z"])
        if r.random() < .2:
            head += "Set-Cookie: JSID=abc\r\n"
        if r.random() < .1:
            head += "ETag: W/\"x\"\r\nVary: Accept\r\n"
        if self.res_pad:
            head += "X-Pad: %s\r\n" % ("p" * self.res_pad)
        if self.res_close:
            head += "Connection: close\r\n"
        body = b""
        if self.status in (204, 304):
            pass
        elif self.res_frame == "length":
            head += "Content-Length: %d\r\n" % self.res_size
            body = self.body("s", 0, self.res_size)
        elif self.res_frame == "chunked":
            head += "Transfer-Encoding: chunked\r\n"
            body = self.chunks(r, "s", self.res_size, self.res_trailers)
        else:
            body = self.body("s", 0, self.res_size)
        return head.encode() + b"\r\n", b"" if self.bare() else body
