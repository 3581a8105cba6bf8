# SPDX-License-Identifier: BSD-2-Clause
"""The clients of shortage.sh."""

import resource
import socket
import ssl
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from service import address, ask, check, finish, until

what, front, raw, short, ca, tool, stats, pid, now = sys.argv[1:10]
context = ssl.create_default_context(cafile=ca)


def info(field):
    said = ask(stats, "show info")
    return next((int(line.split()[1]) for line in said.split("\n") if line.startswith(field + ":")), None)


def visit(to=front, patience=60):
    """A connection on which a request was answered, or None."""
    s = socket.create_connection(address(to), patience)
    try:
        s = context.wrap_socket(s, server_hostname="www.example.com")
        s.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        if s.recv(4096).startswith(b"HTTP/1.1 200"):
            return s
    except (OSError, ssl.SSLError):
        pass
    s.close()
    return None


def all_right(sentence):
    held = [visit(to) for to in (front, raw) for _ in range(20)]
    check(sentence, all(held))
    for s in held:
        if s:
            s.close()
    until("all of them are gone", lambda: info("CurrSslConns") == 0)


def memory():
    all_right("forty visits at first")
    open(now, "w").close()
    held = [visit(to, 2) for to in (front, raw) for _ in range(70)]
    served = sum(s is not None for s in held)
    print(f"served without memory: {served} of 140")
    subprocess.run(["rm", now], check=True)
    until("it answers", lambda: info("CurrSslConns") is not None)
    for s in held:
        if s:
            s.close()
    until("the others are gone", lambda: info("CurrSslConns") == 0)
    all_right("and forty visits later")


def descriptors():
    all_right("forty visits at first")
    hard = resource.prlimit(int(pid), resource.RLIMIT_NOFILE)
    used = len(subprocess.run(["ls", f"/proc/{pid}/fd"], capture_output=True, text=True, check=True).stdout.split())
    resource.prlimit(int(pid), resource.RLIMIT_NOFILE, (used + 8, hard[1]))
    with ThreadPoolExecutor(12) as pool:  # who is not served waits for that, all at once
        held = [s for s in pool.map(lambda _: visit(patience=5), range(12)) if s]
    check(f"some are served, not all: {len(held)}", 1 <= len(held) < 12)
    # These are accepted when others have gone, or end.
    waiting = [socket.create_connection(address(front), 60) for _ in range(5)]
    for s in held:
        s.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    check("who is connected is served on", all(s.recv(4096).startswith(b"HTTP/1.1 200") for s in held))
    for s in held:
        s.close()
    for s in waiting:
        s = context.wrap_socket(s, server_hostname="www.example.com")
        s.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        check("who waited is served", s.recv(4096).startswith(b"HTTP/1.1 200"))
        s.close()
    resource.prlimit(int(pid), resource.RLIMIT_NOFILE, hard)
    all_right("and forty visits later")


def trickle():
    inward, outward = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = context.wrap_bio(inward, outward, server_hostname="www.example.com")
    try:
        tls.do_handshake()
    except ssl.SSLWantReadError:
        pass
    s = socket.create_connection(address(short), 60)
    ended = False
    hello = outward.read()[:-1]
    for byte in hello:  # half a minute and more
        try:
            s.sendall(bytes([byte]))
            s.settimeout(0.1)
            ended = s.recv(100) is not None
            break
        except TimeoutError:
            continue
        except OSError:
            ended = True
            break
    check("a handshake that trickles is ended before it is through", ended)
    until("and is gone", lambda: info("CurrSslConns") == 0)


{"memory": memory, "descriptors": descriptors, "trickle": trickle}[what]()
finish()
