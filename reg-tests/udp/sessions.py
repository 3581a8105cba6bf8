# SPDX-License-Identifier: BSD-2-Clause
"""See sessions.sh."""

import re
import socket
import struct
import urllib.request

from datagrams import Client, Server
from service import PATIENCE, Service, check, finish, until



def arguments(p):
    p.add_argument("--ports")
    p.add_argument("--client", type=int)


service = Service(arguments)
ports = [int(p) for p in service.args.ports.split()]
plain, everywhere, port_a, port_b, small, one, forget, ruled, log_port, proxied, where, narrow, source, page = ports[:14]
both, both_source, port_left, port_right = ports[14:]
a = Server("a", f"127.0.0.1:{port_a}")
b = Server("b", f"127.0.0.1:{port_b}")
lines = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
lines.bind(("127.0.0.1", log_port))
lines.settimeout(PATIENCE)


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


def sessions(proxy):
    return [line for line in service.ask("show sess").splitlines() if f" fe={proxy} " in line]


def current(proxy):
    return int(service.stat(proxy, "FRONTEND")["scur"])


# -- one server, the whole way
c = Client(f"127.0.0.1:{plain}")
first = c.whom()
check("a client stays with its server, and with its socket there",
      all(c.whom(b"%d" % i) == first for i in range(100)))
check("another client gets another server", Client(f"127.0.0.1:{plain}").whom()[0] != first[0])
for size in 0, 1, 1472, 1473, 9000, 65490:
    check(f"a datagram of {size} bytes goes there and back", c.whom(b"s" * size) == first)
a.raw = b.raw = True
check("one of 65507 bytes, too", c.ask(b"m" * 65507) == b"m" * 65507)
a.raw = b.raw = False
for host in "127.0.0.1", "127.0.0.2", "::1":
    d = Client((host, everywhere))
    check(f"answers come from the address that was asked: {host}", d.whom() == d.whom())
for i in range(50):
    c.send(b"%d" % i)
check("what is sent in a row keeps its order",
      [int(c.receive().split(b" ")[2]) for i in range(50)] == list(range(50)))
for host, port in ("127.0.0.1", plain), ("127.0.0.2", everywhere), ("::1", everywhere):
    d = Client((host, port))
    was = d.whom()
    sizes = [100] * 9 + [50] + [100] * 7 + [0, 0] + [1472] * 12 + [3000] * 3 + [7, 8, 9, 9, 9, 8]
    for i, size in enumerate(sizes):
        d.send(b"%c" % i * size)
    got = [d.receive().split(b" ", 2) for _ in sizes]
    check(f"... whatever their sizes, one behind the other: {host}",
          [rest for _, _, rest in got] == [b"%c" % i * size for i, size in enumerate(sizes)] and
          {(name.decode(), int(p)) for name, p, _ in got} == {was})

# -- shown and counted
row, rows = service.stat("plain", "FRONTEND"), sessions("plain")
check("show sess has each session", len(rows) == 8 and all("srv=" in r and "exp=" in r for r in rows))
check("show stat says mode udp and counts sessions and bytes",
      row["mode"] == "udp" and row["scur"] == "8" and int(row["bin"]) > 65507 * 2)
check("... of servers",
      sum(int(service.stat("plain", n)["scur"]) for n in "ab") == 8 and
      service.stat("plain", "a")["stot"] == "4")
mine = next(r for r in rows if f"src=127.0.0.1:{c.s.getsockname()[1]} " in r)
service.ask("shutdown session " + mine.split(":")[0])
line = lines.recv(2000).decode()
check("shutdown session ends one", current("plain") == 7)
check("the line of a session in the log: " + line.split("]: ", 1)[-1].strip(),
      re.search(r"plain\[\d+\]: 127\.0\.0\.1:\d+ \[.*\] plain plain/[ab] \d+ 158/158 \d+/\d+ K- 8$",
                line.strip()))
check("whose client goes on with another session", c.whom() != first)

# -- limits
clients = [Client(f"127.0.0.1:{small}") for _ in range(5)]
were = [d.whom() for d in clients]
check("maxconn of a line bounds its sessions", current("small") == 3)
check("... the latest of which live on", [d.whom() for d in clients[2:]] == were[2:])
check("... and the oldest one has gone", clients[0].whom() != were[0])
clients[1].send(b"t" * 1473)
check("a datagram above accepted-payload-size is dropped, and counted", clients[1].silent() and
      service.stat("small", "FRONTEND")["dreq"] == "1")

# -- datagrams a session
c = Client(f"127.0.0.1:{one}")
check("proxy-requests 1: each datagram is balanced", {c.whom()[0] for _ in range(4)} == {"a", "b"})
until("... proxy-responses 1: its answer ends its session", lambda: current("one") == 0)
check("... and each has a line", " 1/1 1/" in lines.recv(2000).decode())
for i in range(3):
    lines.recv(2000)
c = Client(f"127.0.0.1:{forget}")
before = len(a.got)
c.send(b"forgotten")
until("proxy-responses 0: the datagram goes to the server", lambda: b"forgotten" in a.got[before:])
check("... whose answer nobody waits for", c.silent() and current("forget") == 0)

# -- rules, formats, time
check("use-server by the address of the client",
      Client(f"127.0.0.1:{ruled}", "127.0.0.2").whom()[0] == "b" and
      Client(f"127.0.0.1:{ruled}").whom()[0] == "a")
check("... and by the first datagram", Client(f"127.0.0.1:{ruled}").whom(b"code 5")[0] == "b")
until("sessions end when nobody sends for their time", lambda: current("ruled") == 0)
said = sorted(lines.recv(2000).decode().split("]: ")[1].strip() for _ in range(3))
check("... by its length", Client(f"127.0.0.1:{ruled}").whom(b"eleven long")[0] == "b" and
      Client(f"127.0.0.1:{ruled}").whom(b"ten long..")[0] == "a")
c = Client(f"127.0.0.1:{ruled}")
c.s.bind(("127.0.0.1", service.args.client))
check("... by src_port and dst_port", c.whom()[0] == "b" and Client(f"127.0.0.1:{ruled}").whom()[0] == "a")
check("log-format: " + ", ".join(said),
      said == ["127.0.0.1 ruled/a 1/9 cD", "127.0.0.1 ruled/b 6/14 cD", "127.0.0.2 ruled/b 1/9 cD"])

# -- a server at "*": where the client has sent to
elsewhere = Server("elsewhere", f"127.0.0.2:{port_a}")
for host, name in ("127.0.0.1", "a"), ("127.0.0.2", "elsewhere"):
    c = Client((host, where))
    was = c.whom()
    check(f"a server at *: who sends to {host} comes to the server there, and stays", was[0] == name and c.whom() == was)
elsewhere.stop()

# -- servers that are asked from a single port
clients = [Client(f"127.0.0.1:{narrow}") for _ in range(3)]
check("one port for a server: who comes last has it", all(c.whom() == ("a", source) for c in clients * 2))
check("... for whom the one before has ended", current("narrow") == 1)
a.answers = 0
clients[0].send(b"unanswered")
until("... which may wait for an answer", lambda: a.late)
a.answers = 1
a.late.clear()
service.ask(f"set server narrow/a addr 127.0.0.1 port {port_b}")
check("... and its server may move meanwhile", clients[0].whom() == ("b", source) and current("narrow") == 1)

# -- servers that share a port, and are asked how they are
left, right = Server("left", f"127.0.0.1:{port_left}"), Server("right", f"127.0.0.1:{port_right}")
until("both are up", lambda: all(service.stat("both", s)["status"] == "UP" for s in ("left", "right")))
failed = [service.stat("both", s)["chkfail"] for s in ("left", "right")]
clients = [Client(f"127.0.0.1:{both}") for _ in range(4)]
check("one port for two servers: who comes last has it", {c.whom() for c in clients * 2} ==
      {("left", both_source), ("right", both_source)} and current("both") == 1)
probes = [s.got.count(b"look") for s in (left, right)]
until("... and checks go on from another one", lambda: all(
    s.got.count(b"look") > n + 3 for s, n in zip((left, right), probes)))
check("... and hold", [service.stat("both", s)["chkfail"] for s in ("left", "right")] == failed)

# -- PROXY headers
SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"
a.raw = True
c = Client(f"127.0.0.1:{proxied}", "127.0.0.1")
header = (SIGNATURE + b"\x21\x12" + struct.pack(">H", 12) + bytes([127, 0, 0, 1] * 2) +
          struct.pack(">HH", c.s.getsockname()[1], proxied))
check("send-proxy-v2: a datagram comes behind who has sent it", c.ask(b"data") == header + b"data")
check("... an empty one, too", c.ask(b"") == header)
sizes = [100] * 10 + [99, 1400, 1400, 5, 5]
for i, size in enumerate(sizes):
    c.send(b"%c" % (65 + i) * size)
check("... and each of many", [c.receive() for _ in sizes] ==
      [header + b"%c" % (65 + i) * size for i, size in enumerate(sizes)])
c = Client(("::1", proxied), "::1")
got = c.ask(b"data")
check("... of IPv6 with a checksum",
      got[:16] == SIGNATURE + b"\x21\x22" + struct.pack(">H", 36 + 7) and
      got[16:52] == socket.inet_pton(socket.AF_INET6, "::1") * 2 +
      struct.pack(">HH", c.s.getsockname()[1], proxied) and
      got[52:55] == b"\3\0\4" and got[59:] == b"data" and
      crc32c(got[:55] + bytes(4)) == struct.unpack(">I", got[55:59])[0])
a.raw = False

# -- servers that go and come
c = Client(f"127.0.0.1:{plain}")
name, port = c.whom()
gone, other = (a, b) if name == "a" else (b, a)
gone.stop()
c.send(b"lost")
until("a refusal of the server's host ends the session",
      lambda: f"src=127.0.0.1:{c.s.getsockname()[1]} " not in service.ask("show sess"))
check("... and is counted", int(service.stat("plain", name)["econ"]) > 0)
answers = []
for _ in range(4):
    c.send(b"again")
    if not c.silent(0.5):
        answers.append(True)
check("the client comes to the other server in time", len(answers) >= 2)
gone.start()
got = {Client(f"127.0.0.1:{plain}").whom()[0] for _ in range(4)}
check("a server that came back on its port gets clients again", got == {"a", "b"})
service.ask(f"disable server plain/{other.name.decode()}")
d = Client(f"127.0.0.1:{plain}")
check("a server in maintenance gets no clients", d.whom()[0] == gone.name.decode())
moved = [Client(f"127.0.0.1:{plain}") for _ in range(4)]
check("... no new ones", {m.whom()[0] for m in moved} == {gone.name.decode()})
service.ask(f"enable server plain/{other.name.decode()}")
service.ask(f"disable server plain/{gone.name.decode()}")
check("... and those that it had go to another one", {m.whom()[0] for m in moved} == {other.name.decode()})
service.ask(f"enable server plain/{gone.name.decode()}")
service.ask("shutdown sessions server plain/a")
service.ask("shutdown sessions server plain/b")
until("shutdown sessions server", lambda: current("plain") == 0)

for c in clients[:2]:
    c.to = "127.0.0.1", plain
    c.whom()
with urllib.request.urlopen(f"http://127.0.0.1:{page}/", b"s=a&s=b&action=shutdown&b=plain") as said:
    check("... by the page of statistics, too", said.geturl().endswith("st=DONE"))
until("... which ends them", lambda: current("plain") == 0)

# -- paused, shut down
c = Client(f"127.0.0.1:{small}")
was = c.whom()
service.ask("disable frontend small")
c.send(b"later")
check("a section that is paused keeps what comes", c.silent() and
      service.stat("small", "FRONTEND")["status"] == "PAUSED")
service.ask("enable frontend small")
check("... until it goes on", c.receive() == b"a %d later" % was[1])
service.ask("shutdown frontend small")
check("one that is shut down goes on with its sessions", c.whom() == was)
d = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
d.settimeout(PATIENCE)
d.connect(("127.0.0.1", small))
try:
    d.send(b"x")
    d.recv(100)
    refused = False
except ConnectionRefusedError:
    refused = True
check("... and takes no others", refused)
finish()
