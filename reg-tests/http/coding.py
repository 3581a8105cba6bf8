# SPDX-License-Identifier: BSD-2-Clause
"""Heads and chunked bodies of HTTP/1.1, for scripts that are both client and server. read_*: from a
file object of a socket."""


def read_head(f):
    """As far as it comes: short when the peer closes."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        line = f.readline()
        if not line:
            break
        head += line
    return head


def read_chunks(f):
    """The payload of a chunked body without trailers."""
    got = b""
    while size := int(f.readline(), 16):
        got += f.read(size)
        f.readline()
    f.readline()
    return got


def chunked(data, size):
    pieces = [data[i : i + size] for i in range(0, len(data), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in pieces) + b"0\r\n\r\n"
