# SPDX-License-Identifier: BSD-2-Clause
"""What maps_attack.sh describes."""

import socket
import threading

from service import Service, check, connect, finish, read_all

service = Service()
m, r = f"{service.args.dir}/m.map", f"{service.args.dir}/r.acl"


def body(path):
    with connect(service.args.front) as s:
        s.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        return read_all(s).split(b"\r\n\r\n", 1)[1].decode()


def entries(command):
    return [line.split(" ", 1)[1] for line in service.ask(command).splitlines()]


def payload(name, lines):
    return f"add map {name} <<\n" + "".join(line + "\n" for line in lines)


# ---- a payload of 100,000 lines ----------------------------------------------------------------
answered = 0
over = threading.Event()


def others():
    global answered
    while not over.is_set():
        if body("/a") == "old":
            answered += 1


thread = threading.Thread(target=others)
thread.start()
big = [f"/k{n} value {n}" for n in range(100000)]
check("100,000 lines are taken", service.ask(payload(m, big)) == "")
over.set()
thread.join()
check(f"others were answered meanwhile ({answered})", answered > 20)
check("all are there, in their order", entries(f"show map {m}") == ["/a old"] + big)
check("and found", body("/k99999") == "value 99999")
check("a long map is cleared", service.ask(f"clear map {m}") == "" and body("/k5") == "none")

# ---- whole or nothing --------------------------------------------------------------------------
check("the line that is wrong is told",
      service.ask(f"add acl {r} <<\n^/b\n^/c(\n^/d\n").startswith("line 2: regex '^/c(' is invalid"))
check("nothing of its payload was added", entries(f"show acl {r}") == ["^/a$"])
lines = [f"/x{n} v" for n in range(5000)] + ["alone"]
check("also when it is far behind",
      service.ask(payload(m, lines)) == "line 5001: a key and a value are expected.")
check("and what follows it is read", service.ask(payload(m, lines) + "\nshow map") != "")
check("unknown maps are told when the payload has been read",
      service.ask(payload("nowhere", big[:3000])).startswith("Unknown map identifier"))
check("so are versions of the future", service.ask(payload(f"@7 {m}", big[:3000])).startswith(
    "Version number in the future"))
for cut in ("/half line", "", "/y 1\n/z"):
    s = connect(service.args.stats)
    s.sendall((payload(m, big[:2000]) + cut).encode())
    s.close()
    s = connect(service.args.stats)
    s.sendall((payload(m, big[:2000]) + cut).encode())
    s.shutdown(socket.SHUT_WR)
    check("a payload without end is refused", b"line 2" in read_all(s))
check("a line of 40,000 bytes is", "longer than tune.bufsize" in
      service.ask(payload(m, ["/long " + "x" * 40000])))
check("a broken frame of blanks is", "line 1" in service.ask(payload(m, ["  "])))
check("all of that has changed nothing", service.ask(f"show map {m}") == "")

# ---- odd keys ----------------------------------------------------------------------------------
service.ask(f"add map {m} a\\ b\\;c\\\\ x\\ y")
check("blanks, semicolons, backslashes", entries(f"show map {m}") == ["a b;c\\ x y"])
check("are found again", service.ask(f"del map {m} a\\ b\\;c\\\\") == "")
service.ask(f"add map {m} #ff 1")
check("a key may look like a reference", service.ask(f"del map {m} #ff") == "")
check("too many words are too many", "Too many words" in service.ask(f"add map {m} " + "w " * 100))
check("20,000 equal keys", service.ask(payload(m, ["same v"] * 20000)) == "")
check("get one value", service.ask(f"set map {m} same w") == "" and
      set(entries(f"show map {m}")) == {"same w"})
check("and go together", service.ask(f"del map {m} same") == "" and not entries(f"show map {m}"))

# ---- versions ----------------------------------------------------------------------------------
service.ask(f"add map {m} /a first")
one = service.ask(f"prepare map {m}").split(": ")[1]
two = service.ask(f"prepare map {m}").split(": ")[1]
check("two who prepare get two versions", int(two) == int(one) + 1)
service.ask(payload(f"@{one} {m}", [f"/a one"] + big[:9000]))
service.ask(payload(f"@{two} {m}", [f"/a two"] + big[:9000]))
check("nobody sees them", body("/a") == "first" and body("/k7") == "none")
check("one is put in force", service.ask(f"commit map @{two} {m}") == "" and body("/a") == "two")
check("the other has passed", service.ask(f"commit map @{one} {m}") == "Version number out of range.")
check("and is gone", service.ask(f"show map @{one} {m}") == "")


def slowly(meanwhile):
    """What show map says to one who reads on after that."""
    s = socket.socket(socket.AF_UNIX)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    s.settimeout(60)
    s.connect(service.args.stats)
    s.sendall(f"show map {m}\n".encode())
    got = s.recv(1000)
    meanwhile()
    got += read_all(s)
    return [line.split(" ", 1)[1] for line in got.decode().rstrip("\n").splitlines()]


def delete_odd():
    said = b""
    for sent, n in enumerate(range(1, 9000, 2), 2): # there was a prompt before
        s.sendall(f"del map {m} /k{n}\n".encode())
        while sent % 100 == 0 and said.count(b"> ") < sent:
            said += s.recv(65536)


s = connect(service.args.stats)
s.sendall(b"prompt\n")
before = entries(f"show map {m}")
shown = slowly(delete_odd)
s.sendall(b"prompt\n")
read_all(s)
rest = entries(f"show map {m}")
check("half of the keys were deleted, in one conversation", len(rest) == 4501)
check("who reads slowly meets each that stayed", [e for e in shown if e in set(rest)] == rest)
check("and nothing twice", len(set(shown)) == len(shown) and set(shown) <= set(before))
shown = slowly(lambda: service.ask(f"clear map {m}"))
check("a version that is dropped is read to its end", shown == rest)
check("it is dropped", service.ask(f"show map {m}") == "")

# ---- a conversation ----------------------------------------------------------------------------
said = service.ask(f"prompt\nadd map {m} <<\n/p 1\n/q 2\n\nshow map {m}\nprompt\n")
check("a conversation has a sign for each line", said.count("+ ") == 3 and "/q 2" in said)
s = connect(service.args.stats)
s.sendall(f"add map {m} <<\n/r 3\n/s ".encode() + b"v" * 20000)
said = s.recv(200)
check("a line that is too long is told as such, with its number", b"line 2: it is longer" in said)
check("and nothing of the payload was taken", "/r 3" not in service.ask(f"show map {m}"))
check("nothing was said of it in the log", not service.logged("ALERT"))
finish()
