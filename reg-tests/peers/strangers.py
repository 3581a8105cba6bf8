# SPDX-License-Identifier: BSD-2-Clause
"""Who connects and does not behave as a member does: see strangers.sh."""
import re
import resource
import socket
import threading
import time

from nodes import Nodes
from processes import descriptors
from service import Service, check, connect, finish, until

service = Service(lambda parser: parser.add_argument("--most", type=int))


def hello(called, own, version="HAProxyS 2.1"):
    return f"{version}\n{called}\n{own} 17 1\n".encode()


def answer(nodes, said, pieces=False):
    """The status line to these bytes; "" when it is closed without one."""
    with connect(nodes.addresses["A"]) as s:
        for piece in ([said[i:i + 1] for i in range(len(said))] if pieces else [said]):
            s.sendall(piece)
        got = b""
        try:
            while not got.endswith(b"\n") and (piece := s.recv(1)):
                got += piece
        except ConnectionError:
            pass
        return got.decode().strip()


def statuses():
    nodes = Nodes(["A", "B"], service.folder("statuses"))
    a = nodes["A"].start()
    for sentence, said, status in (
            ("a member", hello("A", "B"), "200"), ("version 2.0", hello("A", "B", "HAProxyS 2.0"), "200"),
            ("carriage returns", hello("A", "B").replace(b"\n", b"\r\n"), "200"),
            ("another protocol", b"GET / HTTP/1.1\r\n", "501"),
            ("nothing behind the name", b"HAProxyS 2.1\nA\nB\n", "501"),
            ("another version", hello("A", "B", "HAProxyS 3.0"), "502"),
            ("another name", hello("X", "B"), "503"), ("no member", hello("A", "X"), "504")):
        check(f"{sentence}: {status}", answer(nodes, said) == status)
    check("byte by byte", answer(nodes, hello("A", "B"), pieces=True) == "200")
    first = connect(nodes.addresses["A"])
    first.sendall(hello("A", "A"))
    check("a predecessor", first.recv(4) == b"200\n")
    check("a second one: 300", answer(nodes, hello("A", "A")) == "300")
    first.close()
    began = time.monotonic()
    with connect(nodes.addresses["A"]) as s:
        check("nothing is said: closed", s.recv(10) == b"")
    check("after 5 seconds", 4.5 < time.monotonic() - began < 30)
    check("too long a line: closed", answer(nodes, b"HAProxyS 2.1" * 500) in ("501", "502", ""))
    check("A is well", a.ask("show peers").count("id=") > 1)
    check("the log is short", sum(line.find("Peers") >= 0 for line in open(a.log)) < 15)
    nodes.end()


def crowd():
    """More connections than it keeps; a member comes in all the same."""
    nodes = Nodes(["A", "B"], service.folder("crowd"))
    a = nodes["A"].start()
    kept = [connect(nodes.addresses["A"]) for _ in range(100)]
    until("most of them are closed",
          lambda: descriptors(a.process.pid) < 70)
    check("a member is heard", answer(nodes, hello("A", "B")) == "200")
    for s in kept:
        s.close()
    nodes.end()


def memory(pid):
    with open(f"/proc/{pid}/status") as f:
        return int(re.search(r"VmRSS:\s+(\d+)", f.read())[1])


def never_reads():
    """A member that takes nothing: what waits for it is bounded, and others do not wait."""
    nodes = Nodes(["A", "B", "C"], service.folder("never"))
    a, c = nodes["A"].start(), nodes["C"].start()
    until("A and C talk", lambda: a.talks_to("C"))
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    host, port = nodes.addresses["A"].split(":")
    s.connect((host, int(port)))
    s.sendall(hello("A", "B"))
    stop = threading.Event()

    def beats():
        while not stop.wait(1):
            try:
                s.sendall(b"\x00\x04")
            except OSError:
                return
    beater = threading.Thread(target=beats)
    beater.start()
    until("A talks to it", lambda: a.status("B") == "ESTA")
    commands = [f"set table b key 10.{n // 65536}.{n // 256 % 256}.{n % 256} data.gpc0 1" for n in range(100000)]

    def change_all():
        for i in range(0, len(commands), 300):
            a.ask(";".join(commands[i:i + 300]))

    def waits():
        return int(re.search(r"unsent=(\d+)", a.ask("show peers").split("id=B")[1])[1])
    change_all()
    before = memory(a.process.pid)
    until("its window, and what the kernel keeps for it, are full", lambda: change_all() or waits())
    until("100,000 entries are told to the other one", lambda: c.used() == 100000)
    grown = memory(a.process.pid) - before
    check(f"memory has grown by {grown} kB meanwhile", grown < service.args.most)
    check(f"{waits()} bytes wait for it", waits() <= 65536)
    began = time.monotonic()
    a.set("192.0.2.1", 77)
    until("another change reaches C", lambda: c.value("192.0.2.1") == 77)
    print(f"        after {(time.monotonic() - began) * 1000:.0f} ms")
    until("it is given up", lambda: a.logged("B is lost: it has taken nothing for 30 seconds") == 1)
    stop.set()
    beater.join()
    s.close()
    nodes.end()


def no_descriptors():
    """None is left for a while: no member is lost for it, and calls are made again."""
    nodes = Nodes(["A", "B"], service.folder("descriptors"))
    a = nodes["A"].start(more="    maxconn 100\n")
    used = descriptors(a.process.pid)
    soft, hard = resource.prlimit(a.process.pid, resource.RLIMIT_NOFILE)
    held = [connect(a.stats) for _ in range(3)]
    resource.prlimit(a.process.pid, resource.RLIMIT_NOFILE, (used + 3, hard))
    b = nodes["B"].start()
    until("B cannot reach A, or A B", lambda: a.logged("cannot") + b.logged("cannot") >= 1)
    resource.prlimit(a.process.pid, resource.RLIMIT_NOFILE, (soft, hard))
    for s in held:
        s.close()
    until("they talk when there are some again", lambda: a.talks_to("B") and b.talks_to("A"))
    a.set("10.0.0.1", 1)
    nodes.until_all("and tell", "10.0.0.1", 1)
    nodes.end()


statuses()
crowd()
no_descriptors()
never_reads()
finish()
