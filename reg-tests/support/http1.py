# SPDX-License-Identifier: BSD-2-Clause
"""
HTTP/1 as tests speak it, byte by byte, without the opinions of a library.

    s.sendall(request("/x", "X-To: b"))
    Reader(s).message()                # (head, body); None: the end has come before

fetch of service.py is one request and its answer; origin.py has servers.
"""

import re


class Reader:
    """What comes over a socket, in the pieces that are wanted. None instead of a piece: the other
    side has ended before. What was read and not wanted yet is `held`."""

    def __init__(self, s, held=b""):
        self.s, self.held = s, bytearray(held)

    def more(self, most=262144):
        piece = self.s.recv(most)
        self.held += piece
        return bool(piece)

    def exactly(self, n):
        while len(self.held) < n:
            if not self.more():
                return None
        piece = bytes(self.held[:n])
        del self.held[:n]
        return piece

    def until(self, mark):
        """What stands before the mark, which is taken, too."""
        while (at := self.held.find(mark)) < 0:
            if not self.more():
                return None
        return self.exactly(at + len(mark))[:-len(mark)]

    def head(self):
        """The first line and fields, without the empty line."""
        return self.until(b"\r\n\r\n")

    def chunks(self):
        """(body, trailers): the lines of fields behind the last chunk."""
        body = []
        while True:
            line = self.until(b"\r\n")
            if line is None:
                return None
            size = int(line.split(b";")[0], 16)
            if not size:
                break
            piece = self.exactly(size + 2)
            if piece is None:
                return None
            body.append(piece[:-2])
        lines = []
        while line := self.until(b"\r\n"):
            lines.append(line)
        return None if line is None else (b"".join(body), lines)

    def body(self, head):
        """As the fields of the head frame it; nothing where they do not."""
        if re.search(rb"(?i)\r\ntransfer-encoding: *chunked", head):
            found = self.chunks()
            return found and found[0]
        length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
        return self.exactly(int(length[1])) if length else b""

    def message(self, bodiless=False):
        """(head, body). bodiless: a response that has none, whatever its head says."""
        head = self.head()
        if head is None:
            return None
        body = b"" if bodiless else self.body(head)
        return None if body is None else (head, body)

    def rest(self):
        while self.more():
            pass
        return self.exactly(len(self.held))


def head_alone(s):
    """The head of a message, byte by byte: what stands behind it stays in the socket. None: the
    end."""
    got = b""
    while not got.endswith(b"\r\n\r\n"):
        byte = s.recv(1)
        if not byte:
            return None
        got += byte
    return got[:-4]


def fields_of(head):
    """By names in lower case; of several with one name the last."""
    lines = head.decode("latin-1").split("\r\n")[1:]
    return {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}


class Answer:
    """status: 0 where none came. head: without the empty line; body: without the chunks."""

    def __init__(self, got):
        self.raw = got
        self.head, _, body = got.partition(b"\r\n\r\n")
        self.status = int(got.split()[1]) if got.startswith(b"HTTP/1.") else 0
        self.fields = fields_of(self.head)
        if self.fields.get("transfer-encoding", "").lower() == "chunked":
            found = Reader(Nothing(), body).chunks()
            body = found and found[0]
        self.body = body

    @property
    def text(self):
        return self.body.decode("latin-1")


class Nothing:
    """A socket whose other side has ended."""

    @staticmethod
    def recv(_):
        return b""


def request(path="/", *fields, method="GET", body=b"", version="1.1", close=False):
    """fields: "Name: value". A body brings its length."""
    lines = [f"{method} {path} HTTP/{version}", "Host: x"]
    if close:
        lines.append("Connection: close")
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, *fields, "", ""]).encode("latin-1") + body


def reply(body=b"", *fields, status=200, close=False):
    """A response with a length. fields: "Name: value"."""
    body = body if isinstance(body, bytes) else body.encode()
    lines = [f"HTTP/1.1 {status} {'OK' if status == 200 else 'X'}", f"Content-Length: {len(body)}", *fields]
    if close:
        lines.append("Connection: close")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def chunks_of(body, size=16384, trailers=()):
    """Each of that size but the last one. trailers: "Name: value"."""
    pieces = [body[at:at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in pieces) + \
        "\r\n".join(["0", *trailers, "", ""]).encode("latin-1")


def chunked(body, *fields, size=16384, trailers=(), status=200):
    """A response in chunks."""
    head = "\r\n".join([f"HTTP/1.1 {status} X", "Transfer-Encoding: chunked", *fields, "", ""])
    return head.encode("latin-1") + chunks_of(body, size, trailers)
