# SPDX-License-Identifier: BSD-2-Clause
"""What channel.sh describes."""

import json
import socket

from origin import serve_each
from service import Service, check, connect, finish, read_all

service = Service("res", "other")
args = service.args


def send(s, data, single):
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for piece in [data[i:i + 1] for i in range(len(data))] if single else [data]:
        s.sendall(piece)


def answer(s):
    """All that has come, as it has come: in one piece, or byte by byte where the last byte says
    so."""
    got = read_all(s)
    send(s, got, got.endswith(b".\n"))


def talk(to, line, single):
    with connect(to) as s:
        send(s, line, single)
        s.shutdown(socket.SHUT_WR)
        return read_all(s)


def does(line, name, text="", at=0, length=None):
    """What is left of the line, and what the function says."""
    if not isinstance(text, str): # of remove and forward
        text, at, length = "", text, None if at == 0 and length is None else at
    text = text.encode()
    return MODEL[name](line, text, at, length)


def offset(at):
    return max(at + 10, 0) if at < 0 else at if at <= 10 else None


def replaced(line, text, at, length):
    at = offset(at)
    if at is None or (length is not None and at + length > 10):
        return line, "error"
    length = 10 - at if length is None else length
    return line[:at] + text + line[at + length:], str(len(text))


def removed(line, text, at, length):
    left, said = replaced(line, b"", at, length)
    return left, said if said == "error" else str(10 - len(left))


MODEL = {
    "insert": lambda line, text, at, _: replaced(line, text, at, 0),
    "append": lambda line, text, *_: (line + text, str(len(text))) if len(text) < 10000 else (line, "-1"),
    "prepend": lambda line, text, *_: (text + line, str(len(text))),
    "set": replaced,
    "remove": removed,
    "forward": lambda line, text, at, _: (line, str(at)),
    "send": lambda line, text, *_: (text + line, str(len(text))),
}
serve_each(args.back, answer)
calls = [json.loads(line) for line in service.ask("calls").split("\n") if line]
for number, call in enumerate(calls, 1):
    for to in "front", "res":
        for end in b"!\n", b".\n":
            line = b"%02dabcdef" % number + end
            wanted, result = does(line, *call)
            got = talk(getattr(args, to), line, end == b".\n")
            said = service.ask("said").strip()
            if (got, said) != (wanted, result):
                check(f"{to} {str(call)[:60]}: {said} {got[:40]}, not {result} {wanted[:40]}", False)
check(f"{len(calls)} calls, in both directions, at once and byte by byte", len(calls) == 36)
got, said = talk(args.other, b"hello\n", False), service.ask("said").strip()
check(f"send to the client, by a rule of requests: {said} of 100000 bytes, and they are there",
      int(said) >= 16384 and got == b"x" * int(said) + b"hello\n")
finish()
