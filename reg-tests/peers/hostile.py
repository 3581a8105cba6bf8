# SPDX-License-Identifier: BSD-2-Clause
"""Peers that do not keep to the protocol, against a running penstock: see hostile.sh."""
import os
import random
import socket

from nodes import Nodes
from scripted import (ACK, ASK, BEAT, CONFIRM, DEFINITION, FINISHED, NEXT, SWITCH, TIMED, TIMED_NEXT, UPDATE,
                      Peer, control, definition, four, message, number)
from service import Service, address, check, finish, until

TABLES = """
backend small
    stick-table type string len 20 size 1k expire 10m store gpc0,server_key,gpt(2),http_req_rate(10s) peers p
backend b
    stick-table type ip size 200k expire 10m store gpc0,gpc1,http_req_cnt peers p
"""
SMALL = definition(1, "small", 6, 21, [2, 10, 19, 22], more=b"\x0a" + number(10000) + b"\x16\x02")
B = definition(2, "b", 4, 4, [2, 9, 17])


def value(name=b""):
    """Of the table small: a count, a rate, a name of a server (id and text), two elements."""
    return b"\x04\x05\x06\x07" + (number(len(name)) + name) + b"\x08\x09"


def key(text):
    return number(len(text)) + text.encode()


service = Service()
nodes = Nodes(["A", "B", "bad", "deaf"], service.args.dir)
a = nodes["A"].start(tables=TABLES)
b = nodes["B"].start(tables=TABLES)
where = nodes.addresses["A"]
turn = 0


def call(name="bad", window=None):
    peer = Peer(where, "A", name, window)
    if peer.status != b"200":
        check(f"{name} is accepted: {peer.status}", False)
    return peer


def mistakes():
    return int(a.peers()["bad"]["proto_err"])


def memory():
    """KiB that the process has in memory of its own, without what is shared."""
    with open(f"/proc/{a.process.pid}/status") as f:
        return int(next(line for line in f if line.startswith("RssAnon")).split()[1])


def still_works():
    """What A changes B sees."""
    global turn
    turn += 1
    a.set("10.0.0.1", turn)
    until(f"A and B go on ({turn})", lambda: b.value("10.0.0.1") == turn)


def verdict(data):
    """What becomes of a connection on which this is said: "lives", or the error that ends it."""
    peer = call()
    peer.send(data + SMALL + message(UPDATE, four(0x7777) + key("probe") + value()))
    last = None
    while True:
        found = peer.next()
        if not found:
            break
        if found == (10, ACK, number(1) + four(0x7777)):
            last = "lives"
            break
        if found[0] == 1:
            last = found[1]
    peer.close()
    return last


def cuts():
    """Each message that has a body, with each shorter one, and with bytes behind."""
    whole = {
        "definition": (DEFINITION, SMALL[3:]),
        "switch": (SWITCH, number(1)),
        "acknowledgement": (ACK, number(1) + four(1)),
        "update": (UPDATE, four(1) + key("k") + value(b"\x01\x02ab")),
        "next": (NEXT, key("k") + value(b"\x01\x02ab")),
        "timed": (TIMED, four(1) + four(1000) + key("k") + value(b"\x01\x02ab")),
        "timed next": (TIMED_NEXT, four(1000) + key("k") + value(b"\x01\x02ab")),
    }
    for name, (kind, body) in whole.items():
        before, ended, lived = mistakes(), 0, 0
        for n in range(len(body)):
            said = verdict(SMALL + message(kind, body[:n]))
            ended += said == 0
            lived += said == "lives"
        for more in b"x", b"\xff" * 5, b"\0" * 300, b"y" * 16000:
            lived += verdict(SMALL + message(kind, body + more)) == "lives"
        check(f"{name}: {ended} cut ones end it, {lived} others are taken",
              ended + lived == len(body) + 4 and (lived == 4 or kind == DEFINITION) and lived >= 4)
        # The connection has ended before the mistake is counted where we see it.
        until(f"{ended} mistakes are counted", lambda: mistakes() == before + ended)


def wrong():
    """Each of them ends the connection, with the error that says why."""
    small = SMALL + b"\x0a"
    cases = {
        "class 255": (b"\xff\x00", 0),
        "a length without an end": (b"\x0a\x80" + b"\xff" * 10, 0),
        "a length above 64 bits": (b"\x0a\x80\xff\xf0\xfe\xfe\xfe\xfe\xfe\xfe\xfe\x7f", 0),
        "16385 bytes": (b"\x0a\x80" + number(16385), 1),
        "2^64-1 bytes": (b"\x0a\x80" + number(2**64 - 1), 1),
        "16385 bytes of an unknown class": (b"\x77\x80" + number(16385), 1),
        "a key that is longer than the message": (small[:-1] + message(UPDATE, four(1) + number(2**32) + b"k"), 0),
        "a number without an end": (small[:-1] + message(UPDATE, four(1) + key("k") + b"\xff" * 40), 0),
        "a name with the id 0": (small[:-1] + message(UPDATE, four(1) + key("k") + value(b"\0\1x")), 0),
        "a name with the id 129": (small[:-1] + message(UPDATE, four(1) + key("k") + value(b"\x81\1x")), 0),
        "a name with a huge id": (small[:-1] + message(UPDATE, four(1) + key("k") + value(number(2**40) + b"\1x")), 0),
        "a name that is longer than its entry": (small[:-1] + message(UPDATE, four(1) + key("k") + value(b"\1\x7fx")), 0),
        "a definition whose name is too long": (message(DEFINITION, b"\1" + number(2**63) + b"x"), 0),
        "arrays of 2^32-1 elements": (definition(1, "small", 6, 21, [22], more=b"\x16" + number(2**32 - 1))
                                      + message(UPDATE, four(1) + key("k") + b"\1" * 16000), 0),
    }
    before = mistakes()
    for name, (data, error) in cases.items():
        said = verdict(data)
        check(f"{name}: {said}", said == error)
    until("each is counted", lambda: mistakes() == before + len(cases))


def unknown():
    """Nothing of this ends it."""
    cases = {
        "unknown control messages": b"\0\x05\0\x7f\0\x80\1x",
        "errors": b"\1\0\1\1\1\x99\0",
        "unknown classes": b"\2\0\x77\x99\3abc\xfe\x80\0",
        "an unknown table": definition(9, "none", 6, 21, [2]) + message(UPDATE, four(1) + b"anything"),
        "another type of keys": definition(1, "small", 7, 21, [2]) + message(UPDATE, four(1) + b"\xff" * 9),
        "another length": definition(1, "small", 6, 22, [2]) + message(UPDATE, four(1) + b"\xff" * 9),
        "a switch to nothing": message(SWITCH, number(77)) + message(UPDATE, four(1) + b"\xff"),
        "a switch to 2^64-1": message(SWITCH, number(2**64 - 1)) + message(NEXT, b""),
        "acknowledgements of what was never said": b"".join(
            message(ACK, number(table) + four(n)) for table in (0, 1, 2, 3, 99, 2**32, 2**64 - 1)
            for n in (0, 1, 2**31, 2**32 - 1)),
        "confirmations": control(CONFIRM) * 1000,
        "finished a thousand times": control(FINISHED) * 1000,
        "asking a thousand times": control(ASK) * 1000,
        "the same id for each table": SMALL + definition(1, "b", 4, 4, [2]) + definition(1, "p/t", 6, 33, [2]),
        "a thousand definitions": b"".join(definition(n, f"t{n}", 6, 21, [2]) for n in range(1000)),
        "data types of the future": definition(1, "small", 6, 21, [2, 40, 63]) + message(
            UPDATE, four(1) + key("k") + b"\5\6\7\x08"),
    }
    before = mistakes()
    for name, data in cases.items():
        said = verdict(data)
        check(f"{name}: {said}", said == "lives")
    check("none of it is counted as a mistake", mistakes() == before)


def slow():
    """One byte in a segment, from the hello on."""
    s = socket.create_connection(address(where))
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for byte in (b"HAProxyS 2.1\nA\nbad 1 1\n" + SMALL
                 + message(UPDATE, four(0x51) + key("slow") + value(b"\1\2ab"))):
        s.sendall(bytes([byte]))
    peer = Peer.__new__(Peer)
    peer.s, peer.data, peer.over = s, b"", False
    while not peer.data.startswith(b"200\n"):
        peer.receive()
    peer.data = peer.data[4:]
    check("what comes byte by byte is taken", peer.acknowledged(1, 0x51))
    # Half a hello, half a message: neither holds up anybody; the first is closed by itself.
    half = socket.create_connection(address(where))
    half.sendall(b"HAProxyS 2.1\nA\nb")
    peer.send(b"\x0a\x80\xf0")
    still_works()
    half.settimeout(60)
    check("a hello that never ends is closed without a word", half.recv(100) == b"")
    half.close()
    peer.close()


def random_bytes():
    """Anything, 300 times: behind the hello, and instead of it."""
    chance = random.Random(7)
    kinds = [UPDATE, NEXT, DEFINITION, SWITCH, ACK, TIMED, TIMED_NEXT, 0, 200]
    for i in range(300):
        peer = call() if i % 3 else None
        data = b"".join(message(chance.choice(kinds), chance.randbytes(chance.randrange(60)))
                        for _ in range(20)) if i % 2 else chance.randbytes(2000)
        if peer:
            peer.send((SMALL if i % 5 else b"") + data)
            peer.close()
        else:
            s = socket.create_connection(address(where))
            s.sendall(data)
            s.close()
    check("A runs", a.process.poll() is None)


def flood():
    """More keys and names than there is room for."""
    before = memory()
    peer = call()
    peer.send(SMALL)
    for n in range(0, 200000, 1000):
        peer.send(b"".join(message(UPDATE, four(n + i) + key(f"flood{n + i}") + value(
            number(i % 128 + 1) + b"\x0c" + f"{n + i:012d}".encode())) for i in range(1000)))
    check("200,000 updates of a table of 1,000 are taken", peer.acknowledged(1, 199999))
    peer.close()
    used = a.used("small")
    check(f"it has {used} entries", 0 < used <= 1024)
    grown = memory() - before
    check(f"memory has grown by {grown} KiB", grown < 4096 or "SANITIZED" in os.environ)


def fill(count):
    """The table b of A has so many entries, of a peer."""
    peer = call()
    peer.send(B)
    for n in range(0, count, 1000):
        peer.send(b"".join(message(UPDATE, four(n + i + 1) + (0x0b000000 + n + i).to_bytes(4, "big") + b"\1\2\3")
                           for i in range(1000)))
    check(f"{count} entries are taken", peer.acknowledged(2, count))
    peer.close()


def never_reads():
    """Asks for everything, and takes nothing of it: it costs a buffer, holds up nobody, and is
    closed."""
    fill(200000)
    before = memory()
    deaf = call("deaf", window=4096)
    deaf.send(control(ASK) * 10)
    until("it is being taught", lambda: a.peers()["deaf"]["last_status"] == "ESTA")
    for _ in range(5):
        still_works()
    grown = memory() - before
    check(f"memory has grown by {grown} KiB meanwhile", grown < 4096 or "SANITIZED" in os.environ)
    until("its connection is closed, though it says that it lives",
          lambda: (deaf.send(control(BEAT)), a.peers()["deaf"]["last_status"] != "ESTA")[1])
    deaf.close()
    # A peer that reads gets all of them.
    peer = call("deaf")
    peer.send(control(ASK))
    taught = 0
    while (found := peer.next()) and found[:2] not in ((0, 1), (0, 2)):
        taught += found[:2] == (10, TIMED) or found[:2] == (10, TIMED_NEXT)
    check(f"who reads is taught {taught} entries", taught >= 200000)
    peer.close()


for test in cuts, wrong, unknown, slow, random_bytes, flood, never_reads:
    print(f"## {test.__name__}", flush=True)
    test()
    still_works()
check("the other member has made no mistake", a.peers()["B"]["proto_err"] == "0"
      and b.peers()["A"]["proto_err"] == "0")
nodes.end()
finish()
