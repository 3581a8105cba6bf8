# SPDX-License-Identifier: BSD-2-Clause
"""A test of the kernel relay, called by the script of its name with one of the words at the end."""

import ctypes
import fcntl
import os
import re
import shutil
import socket
import struct
import subprocess
import threading
import time

from http1 import head_alone
from service import Service, address, check, finish, until
from sockets import reset

PIECE = 1 << 17
MOST_BETWEEN = 4 << 20  # a direction: what doc/kernel.md promises
MOST_MEMORY = MOST_BETWEEN * 5 // 4  # and what the kernel needs to hold that: heads of segments, pages half full


def take(s, n):
    got = b""
    while len(got) < n and (piece := s.recv(n - len(got))):
        got += piece
    return got


class Pair:
    """A client and the server's end of its connection; heads: a request and a response, which come
    first."""

    def __init__(self, service, heads=None, wrap=lambda client: client):
        self.service = service
        with socket.create_server(address(service.args.back)) as listener:
            listener.settimeout(120)
            self.client = wrap(socket.create_connection(address(service.args.front)))
            if heads:
                self.client.sendall(heads[0])
            self.server = listener.accept()[0]
        for s in (self.client, self.server):
            s.settimeout(120)
            s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.asked = self.answered = 0
        if heads:
            head_alone(self.server)
            self.server.sendall(heads[1])
            head_alone(self.client)

    def exchange(self, request=b"ask", response=b"answer"):
        """Both arrive as they were sent."""
        self.client.sendall(request)
        good = take(self.server, len(request)) == request
        self.server.sendall(response)
        self.asked += len(request)
        self.answered += len(response)
        return take(self.client, len(response)) == response and good

    def said(self):
        source = "src=%s:%d " % self.client.getsockname()
        return next((line for line in self.service.ask("show sess").splitlines() if source in line), "")

    def by_kernel(self):
        return self.exchange() and re.findall(r"way=(\w+)", self.said()) == ["kernel", "kernel"]

    def taken_over(self):
        until("after some small pieces the kernel has both directions", self.by_kernel)
        return self


def exchanges(service):
    """Nothing of what the kernel passes on comes through the process, and all of it is counted."""
    pair = Pair(service).taken_over()
    before = int(service.info()["CopyReads"])
    check("2000 exchanges are unharmed", all(pair.exchange(bytes([n % 256]) * 100) for n in range(2000)))
    info = service.info()
    # of those that ask, and when the credit is extended
    check(f"the process has read {int(info['CopyReads']) - before} times",
          int(info["CopyReads"]) - before < 100)
    check(f"KernelRelays is {info['KernelRelays']}", info["KernelRelays"] == "1")
    check(f"KernelFallbackBehind is {info['KernelFallbackBehind']}: nobody was", info["KernelFallbackBehind"] == "0")
    check(f"KernelBytes is {info['KernelBytes']}", int(info["KernelBytes"]) > 2000 * 100)
    pair.client.close()
    check("the server sees the end", pair.server.recv(1) == b"")
    pair.server.close()
    until(f"the log counts {pair.answered} bytes", lambda: service.logged(f"bytes={pair.asked}/{pair.answered} --"))
    row = service.stat("fe", "FRONTEND")
    check("the statistics, too", (row["bin"], row["bout"]) == (str(pair.asked), str(pair.answered)))


def halves(service):
    """A FIN of either side comes behind its last byte; the other direction goes on."""
    pair = Pair(service).taken_over()
    pair.client.sendall(b"last words" * 1000)
    pair.client.shutdown(socket.SHUT_WR)
    check("the last bytes, then the end", take(pair.server, 20000) == b"last words" * 1000)
    pair.server.sendall(b"answer" * 1000)
    check("the other direction goes on", take(pair.client, 6000) == b"answer" * 1000)
    pair.server.close()
    check("and ends", pair.client.recv(1) == b"")
    for broken, other in (("client", "server"), ("server", "client")):
        pair = Pair(service).taken_over()
        reset(getattr(pair, broken))
        try:
            getattr(pair, other).recv(1)
            check(f"a RST of the {broken} reaches the {other}", False)
        except ConnectionResetError:
            check(f"a RST of the {broken} reaches the {other}", True)


def quiet(service, code):
    """Time-outs look at what the kernel has passed on."""
    pair = Pair(service).taken_over()
    begin = time.monotonic()
    while time.monotonic() - begin < 3:  # twice the time-out
        if not pair.exchange():
            break
        time.sleep(0.3)
    check("who is active stays", pair.exchange())
    begin = time.monotonic()
    check("who is quiet is left", pair.client.recv(1) == b"")
    check("not at once", time.monotonic() - begin > 1)
    until("the log says so", lambda: service.logged(" " + code))


def quiet_client(service):
    quiet(service, "cD")


def quiet_server(service):
    quiet(service, "sD")


SO_ATTACH_FILTER = 26


def take_nothing(s):
    """From now on what comes is lost on the way, as if the machine were gone."""
    code = ctypes.create_string_buffer(struct.pack("<HBBI", 0x06, 0, 0, 0))  # return 0
    s.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack("HxxxxxxQ", 1, ctypes.addressof(code)))


def quiet_gone(service):
    """A server that has gone without a word is the one to blame, however often the kernel sends
    again."""
    pair = Pair(service).taken_over()
    check("exchanges are unharmed", all(pair.exchange() for _ in range(50)))
    take_nothing(pair.server)
    time.sleep(0.1)  # what the server has said last is older than the question, for clocks of 10 ms too
    begin = time.monotonic()
    pair.client.sendall(b"ask")
    check("who waits for it is left", pair.client.recv(1) == b"")
    check("not at once", time.monotonic() - begin > 2.5)
    until("the log says so", lambda: service.logged(" sD"))


def killed(service):
    pair = Pair(service).taken_over()
    service.ask("shutdown session " + pair.said().split(":")[0])
    try:
        check("shutdown session ends it", pair.client.recv(1) == b"")
    except ConnectionResetError:
        check("shutdown session ends it", True)


def piece_of(n):
    return n.to_bytes(8, "big") * (PIECE // 8)


class Sender(threading.Thread):
    """Sends numbered pieces, then FIN."""

    def __init__(self, s, total):
        super().__init__()
        self.s, self.total, self.sent = s, total, 0
        self.start()

    def run(self):
        while self.sent < self.total:
            rest = memoryview(piece_of(self.sent // PIECE))
            while rest:
                n = self.s.send(rest)
                self.sent += n
                rest = rest[n:]
        self.s.shutdown(socket.SHUT_WR)

    def stopped(self):
        before = self.sent
        time.sleep(0.5)
        return 0 < before == self.sent

    def between(self, receiver):
        unsent = struct.unpack("i", fcntl.ioctl(self.s, 0x5411, bytes(4)))[0]  # SIOCOUTQ
        unread = struct.unpack("i", fcntl.ioctl(receiver, 0x541B, bytes(4)))[0]  # FIONREAD
        return self.sent - unsent - unread


class Receiver(threading.Thread):
    def __init__(self, s, total):
        super().__init__()
        self.s, self.total, self.good = s, total, False
        self.start()

    def run(self):
        self.good = all(take(self.s, PIECE) == piece_of(n) for n in range(self.total // PIECE))
        self.good &= self.s.recv(1) == b""


def relay_memory(service):
    """What the kernel holds for the relay's sockets of this test, received and to be sent: in bytes
    of memory, which are more than those of the streams."""
    front, back = address(service.args.front)[1], address(service.args.back)[1]
    said = subprocess.run(["ss", "-tmnH", f"sport = :{front} or dport = :{back}"], stdout=subprocess.PIPE, check=True)
    return sum(int(r) + int(w) for r, w in re.findall(rb"skmem:\(r(\d+),.*?,w(\d+),", said.stdout))


def stuff(service, *directions):
    """They send and nobody reads; then all is read. By hand, more and for longer: STUFF_MB,
    STUFF_SECONDS."""
    total = int(os.environ.get("STUFF_MB", "32")) << 20
    seconds = float(os.environ.get("STUFF_SECONDS", "0"))
    senders = [(Sender(a, total), b) for a, b in directions]
    until("the senders are stopped", lambda: all([sender.stopped() for sender, _ in senders]))
    for sender, receiver in senders:
        between = sender.between(receiver)
        check(f"{between >> 10} kB are in between, of {sender.sent >> 10}", 0 < between <= MOST_BETWEEN)
        check("not all is sent", sender.sent < total)
    if seconds:
        sent = [sender.sent for sender, _ in senders]
        time.sleep(seconds)
        check(f"nor {seconds:g} s later", [sender.sent for sender, _ in senders] == sent)
    if shutil.which("ss"):
        memory = relay_memory(service)
        check(f"the relay's sockets hold {memory >> 10} kB of memory", memory <= len(directions) * MOST_MEMORY)
    for receiver in [Receiver(b, total) for _, b in directions]:
        receiver.join()
        check("then all bytes come right, and the end", receiver.good)
    for sender, _ in senders:
        sender.join()
    info = service.info()
    check(f"nobody was broken off ({info['KernelFallbackBulk']} went back to pipes)", info["KernelFaults"] == "0")


def bounded(service):
    """A client that reads nothing stops the server, and gets all bytes later; and both at once."""
    pair = Pair(service).taken_over()
    stuff(service, (pair.server, pair.client))
    for _ in range(3):
        pair.client.close()
        pair.server.close()
        pair = Pair(service).taken_over()
        stuff(service, (pair.server, pair.client), (pair.client, pair.server))


def flow(service, sender_of, total, pair=None):
    """A stream that the kernel has, or the one given, turns to bulk."""
    pair = pair or Pair(service).taken_over()
    a, b = (pair.client, pair.server) if sender_of == "client" else (pair.server, pair.client)
    receiver = Receiver(b, total)
    sender = Sender(a, total)
    receiver.join()
    sender.join()
    check(f"bulk of the {sender_of} comes right, to the end", receiver.good)
    return pair


def bulk(service):
    """What turns to bulk goes back to a pipe, and comes right."""
    turned = spliced = 0
    for sender_of in "client", "server":
        for _ in range(8):  # on a busy machine a receiver that is behind may be seen first
            pair = flow(service, sender_of, 128 << 20)
            info = service.info()
            if int(info["KernelFallbackBulk"]) > turned:
                break
        check(f"KernelFallbackBulk is {info['KernelFallbackBulk']}", int(info["KernelFallbackBulk"]) == turned + 1)
        check(f"{info['BytesSpliced']} bytes went by pipe", int(info["BytesSpliced"]) > spliced + (8 << 20))
        turned, spliced = int(info["KernelFallbackBulk"]), int(info["BytesSpliced"])
        other = pair.server if sender_of == "client" else pair.client
        other.sendall(b"last words")
        other.close()
        check("the other direction goes on", take(pair.client if sender_of == "client" else pair.server, 20) == b"last words")
    check("nobody was broken off", service.info()["KernelFaults"] == "0")


def many(service):
    """Ten streams that turn to bulk at once go back to pipes, and others are served meanwhile."""
    pairs = [Pair(service).taken_over() for _ in range(10)]
    receivers = [Receiver(pair.server, 32 << 20) for pair in pairs]
    senders = [Sender(pair.client, 32 << 20) for pair in pairs]
    served = 0
    while any([sender.is_alive() for sender in senders]):
        served += Pair(service).exchange()
    check(f"{served} others were served meanwhile", served > 0)
    for thread in senders + receivers:
        thread.join()
    check("all bulk comes right, to the end", all(receiver.good for receiver in receivers))
    info = service.info()
    # a receiver that is behind may keep one or another
    check(f"KernelFallbackBulk is {info['KernelFallbackBulk']}", int(info["KernelFallbackBulk"]) >= 8)
    check("most of it went by pipe", int(info["BytesSpliced"]) > 5 * (32 << 20))
    check("nobody was broken off", info["KernelFaults"] == "0")


def ways(service):
    """To the kernel and back to pipes, again and again, in both directions: no byte comes out of
    order."""
    pair = Pair(service)
    for turn in range(6):
        pair.taken_over()
        a, b = (pair.client, pair.server) if turn % 2 else (pair.server, pair.client)
        good, n = True, 0
        while int(service.info()["KernelFallbackBulk"]) == turn and n < 1000:
            data = b"".join(piece_of(n + i) for i in range(8))
            n += 8
            sender = threading.Thread(target=a.sendall, args=(data,))
            sender.start()
            good &= take(b, len(data)) == data
            sender.join()
        check(f"turn {turn}: it left within {n * PIECE >> 20} MB, all in order", good and n < 1000)
    check("nobody was broken off", service.info()["KernelFaults"] == "0")


UPGRADE = (b"GET /chat HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: chat\r\n\r\n",
           b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: chat\r\n\r\n")
GET = (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
CONNECT = (b"CONNECT x:80 HTTP/1.1\r\nHost: x:80\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\n")


def tunnels(service):
    """Tunnels of mode http go by the kernel, to their end and to "timeout tunnel"."""
    for n, heads in enumerate((UPGRADE, CONNECT), 1):
        pair = Pair(service, heads=heads).taken_over()
        check("500 exchanges are unharmed", all(pair.exchange(bytes([n % 256]) * 100) for n in range(500)))
        pair.client.sendall(b"last words" * 1000)
        pair.client.shutdown(socket.SHUT_WR)
        check("the last bytes, then the end", take(pair.server, 10001) == b"last words" * 1000)
        pair.server.sendall(b"answer" * 1000)
        pair.server.close()
        check("the other direction goes on, and ends", take(pair.client, 6001) == b"answer" * 1000)
        want = f"bytes={pair.asked + 10000 + len(heads[0])}/{pair.answered + 6000 + len(heads[1])} --"
        until(f"the log says {want}", lambda: service.logged(want) == 1)
        check("KernelRelays counts", service.info()["KernelRelays"] == str(n))
    pair = Pair(service, heads=UPGRADE).taken_over()
    begin = time.monotonic()
    while time.monotonic() - begin < 2.5:  # time-outs are 1 s, of tunnels 2 s
        if not pair.exchange():
            break
        time.sleep(0.3)
    check("who is active stays", pair.exchange())
    begin = time.monotonic()
    check("who is quiet is left", pair.client.recv(1) == b"")
    check("not before the time of tunnels", time.monotonic() - begin > 1.5)


def bodies(service):
    """Bodies go by pipe, and show info says why."""
    pair = Pair(service, heads=GET)
    body = bytes(range(256)) * 8192
    for _ in range(3):
        pair.client.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body[:100])
        head_alone(pair.server)
        sender = threading.Thread(target=pair.client.sendall, args=(body[100:],))
        sender.start()
        check("the body of a request comes right", take(pair.server, len(body)) == body)
        sender.join()
        head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body)
        sender = threading.Thread(target=pair.server.sendall, args=(head + body,))
        sender.start()
        head_alone(pair.client)
        check("that of a response, too", take(pair.client, len(body)) == body)
        sender.join()
    info = service.info()
    check("no kernel relay", info["KernelRelays"] == "0" and info["KernelBytes"] == "0")
    check(f"{info['BytesSpliced']} bytes went by pipe", int(info["BytesSpliced"]) > 5 * len(body))
    check("KernelFallbackMessages says why", info["KernelFallbackMessages"] == "4")


def drain(service):
    """Streams of workers that are reloaded, and of a process that is told to end, go on."""
    until("two workers", lambda: len(service.workers()) == 2)
    pairs = [Pair(service).taken_over() for _ in range(8)]
    before = service.workers()
    check("a reload", service.parent("reload").startswith("Success=1"))
    check("the workers are old ones", set(service.old_workers()) == set(before))
    check("streams of old workers go on", all(pair.exchange() for pair in pairs * 50))
    young = Pair(service).taken_over()
    for pair in pairs:
        pair.client.sendall(b"last words")
        pair.client.close()
        check("the last bytes, then the end", take(pair.server, 11) == b"last words")
        pair.server.close()
    until("then the old workers end", lambda: not service.old_workers())
    check("young streams stay", young.exchange())


def auto(service):
    """With "auto" small exchanges that win by it stay with the kernel, and what is large never
    comes there, or goes back."""
    pair = Pair(service)
    check("large pieces", all(pair.exchange(b"q" * 100000, b"a" * 100000) for _ in range(300)))
    pair = Pair(service)
    check("and bulk behind 20 exchanges", all(pair.exchange(b"q", b"a") for _ in range(20)))
    flow(service, "client", 32 << 20, pair)
    check("are not tried", service.info()["KernelRelays"] == "0")

    def kept():
        """One that was timed by the process, then by the kernel, and stays there."""
        left = service.info()["KernelFallbackUnprofitable"]
        pair = Pair(service)
        for _ in range(20):
            good = all(pair.exchange(b"q", b"a") for _ in range(50))
            if not good or service.info()["KernelFallbackUnprofitable"] != left:
                return None
        return pair if pair.by_kernel() else None

    pair = until("small exchanges are tried, and stay where that pays", kept)
    info = service.info()
    print(f"        KernelRelays {info['KernelRelays']}, KernelFallbackUnprofitable {info['KernelFallbackUnprofitable']}")
    flow(service, "client", 64 << 20, pair)
    now = service.info()
    check("bulk on it goes back to a pipe", int(now["KernelFallbackBulk"]) == int(info["KernelFallbackBulk"]) + 1)
    check("most of it went there", int(now["BytesSpliced"]) > int(info["BytesSpliced"]) + (32 << 20))
    check("nobody was broken off", now["KernelFaults"] == "0")


def main():
    tests = {f.__name__: f for f in (exchanges, halves, quiet_client, quiet_server, quiet_gone, killed, bounded, bulk,
                                       tunnels, bodies, drain, auto, ways, many)}
    service = Service(lambda parser: parser.add_argument("--test", choices=tests))
    tests[service.args.test](service)
    finish()


if __name__ == "__main__":
    main()
