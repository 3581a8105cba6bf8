# SPDX-License-Identifier: BSD-2-Clause
"""
The origin of observe_shutdown.sh, and its claims: in each backend one exchange shows the error that
takes its server down, while another one runs on the server.
"""
import threading

import service
from http1 import reply
from origin import serve_each
from service import PATIENCE, asked, check, finish, read_all


def serve(c, held):
    got = c.recv(65536)
    if b"/hold" in got:
        held.release()
        c.recv(1)
    elif b"/junk" in got:
        c.sendall(b"no response\r\n\r\n")
    elif b"/status" in got or b"/spare" in got:
        c.sendall(reply(b"hello", status=500, close=True))


def status(s):
    """Of the answer; 0: none came."""
    try:
        got = read_all(s)
    except ConnectionResetError:
        return 0
    return int(got.split()[1]) if got.startswith(b"HTTP/1.") else 0


def main():
    it = service.Service()
    held = threading.Semaphore(0)
    serve_each(it.args.back, lambda c: serve(c, held))
    for name, path, first, then in (
            ("mark", "status", 500, 503), ("sudden", "status", 500, 503), ("fail", "status", 500, 503),
            ("mark2", "junk", 502, 503), ("mark3", "close", 502, 503),
            ("refused", "refused", 503, 503), ("spare", "spare", 503, 500)):
        other = None
        if name not in ("refused", "spare"):
            other = asked(it.args.front, f"/{name}/hold")
            check(f"{name}: an exchange runs", held.acquire(timeout=PATIENCE))
        check(f"{name}: /{path} is answered with {first}",
              status(asked(it.args.front, f"/{name}/{path}")) == first)
        if other:
            check(f"{name}: what ran on the server was ended with 502", status(other) == 502)
        service.until(f"{name}: its server is down", lambda: it.stat(name, "s")["status"] == "DOWN")
        check(f"{name}: the next one is answered with {then}",
              status(asked(it.args.front, f"/{name}/{path}")) == then)
        service.until(f"{name}: nothing is left on the server",
                      lambda: it.stat(name, "s")["qcur"] == it.stat(name, "s")["scur"] == "0")
    finish()


main()
