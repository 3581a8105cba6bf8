# SPDX-License-Identifier: BSD-2-Clause
"""
Looks for parts of private keys in the memory of processes, where a core dump takes it from: all
mappings but those that the kernel leaves out ("dd" in /proc/PID/smaps).
"""

import re
import sys
import time

from service import PATIENCE, Service, check, connect, finish, read_all
from sockets import any_server

PART = 16  # bytes in a row that cannot be there by chance

service = Service("certs")
certs = service.args.certs


def numbers(name):
    """The secret numbers of a key, as bytes, most significant first."""
    with open(f"{certs}/{name}.numbers") as f:
        text = f.read()
    wanted = r"^(priv|privateExponent|prime1|prime2|exponent1|exponent2|coefficient):\n((?: +[0-9a-f:]+\n)+)"
    found = re.findall(wanted, text, re.M)
    return {what: bytes.fromhex(re.sub(r"[\s:]", "", digits)).lstrip(b"\0") for what, digits in found}


def needles(name):
    """Pieces to look for: in both orders of bytes, and as PEM has them."""
    for what, value in numbers(name).items():
        middle = len(value) // 2 - PART // 2
        piece = value[middle:middle + PART]
        yield f"{name} {what}", piece
        yield f"{name} {what} turned", piece[::-1]
    with open(f"{certs}/{name}.key") as f:
        lines = [line for line in f.read().splitlines() if "-----" not in line]
    yield f"{name} as PEM", lines[len(lines) // 2].encode()[8:40]


def dumped(pid):
    """The memory of a process that would be in its core dump."""
    with open(f"/proc/{pid}/smaps") as f:
        blocks = re.findall(r"(?ms)^([0-9a-f]+)-([0-9a-f]+) (\S+) .*?VmFlags:([^\n]*)$", f.read())
    with open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for start, end, rights, flags in blocks:
            if "r" not in rights or "dd" in flags.split() or "io" in flags.split():
                continue
            try:
                memory.seek(int(start, 16))
                yield memory.read(int(end, 16) - int(start, 16))
            except (OSError, ValueError, OverflowError):
                pass


def left_out(pid):
    with open(f"/proc/{pid}/smaps") as f:
        return sum(" dd" in line for line in f if line.startswith("VmFlags:"))


def found(pid, names):
    memory = b"\0".join(dumped(pid))
    check(f"the memory of {pid} was read", len(memory) > 1 << 20)
    return [what for name in names for what, piece in needles(name) if piece in memory]


def handshakes(name, rounds):
    context = any_server()
    pids = set()
    for _ in range(rounds):
        raw = connect(service.args.front)
        with context.wrap_socket(raw, server_hostname=name) as s:
            s.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            got = read_all(s)
            pids.add(int(got.rsplit(b"\n", 1)[-1]))
    return pids


def served_by_all(name):
    seen, end = set(), time.monotonic() + PATIENCE
    while not set(service.workers()) <= seen and time.monotonic() < end:
        seen |= handshakes(name, 5)


def everywhere(sentence, names):
    for pid in service.workers() + [service.args.pid]:
        there = found(pid, names)
        check(f"{sentence}: {pid} {there}", not there)


def replace(entry, name):
    with open(f"{certs}/{name}.pem") as f:
        said = service.ask(f"set ssl cert {certs}/{entry}.pem <<\n{f.read()}")
        check(f"set {name}", "Transaction created" in said)
    check("commit", "Success!" in service.ask(f"commit ssl cert {certs}/{entry}.pem"))


try:
    with open(f"/proc/{service.args.pid}/mem", "rb") as f:
        pass
except OSError:
    print("memory of other processes cannot be read")
    sys.exit(77)
pieces = [piece for name in ("ec", "rsa", "beside", "later", "later-rsa") for piece in needles(name)]
check(f"{len(pieces)} pieces of keys, each long enough", len(pieces) > 30 and all(len(p) >= PART for _, p in pieces))
check("some memory is left out of dumps", left_out(service.args.pid) > 0)
everywhere("before a handshake", ["ec", "rsa", "beside"])
for site in ("ec.example", "rsa.example", "beside.example"):
    served_by_all(site)
everywhere("after handshakes", ["ec", "rsa", "beside"])
replace("changed", "later")
replace("changed-rsa", "later-rsa")
for site in ("later.example", "later-rsa.example"):
    served_by_all(site)
everywhere("set at run time", ["later", "later-rsa"])
finish()
