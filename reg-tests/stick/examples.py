# SPDX-License-Identifier: BSD-2-Clause
"""The configurations examples/limits-*.cfg do what each one promises, at its own rates; the name of
one is the fourth argument. See examples_lib.py."""
import http.client
import select
import socket
import socketserver
import sys
import threading
import time

from http1 import Reader, request

sys.dont_write_bytecode = True
import examples_lib
from examples_lib import WORK, ask, check, cli, run, until

A, B, C = "192.0.2.101", "192.0.2.102", "192.0.2.103"  # clients
held = threading.Event()  # lets requests for /reports/ go
at_work = threading.Semaphore(0)  # how many there were


class Handler(socketserver.StreamRequestHandler):
    """/status/N answers with this status, /.../bytes/N with so many bytes, /reports/ waits."""
    def handle(self):
        while True:
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                if not (line := self.rfile.readline()):
                    return
                head += line
            for line in head.lower().split(b"\r\n"):
                if line.startswith(b"content-length:"):
                    self.rfile.read(int(line[15:]))
            parts = head.split()[1].decode().split("/")
            number = int(parts[-1]) if parts[-1].isdigit() else 2
            if parts[1] == "reports":
                at_work.release()
                held.wait(60)
            status = number if parts[1] == "status" else 200
            body = b"x" * (number if "bytes" in parts else 2)
            self.wfile.write(b"HTTP/1.1 %d X\r\nContent-Length: %d\r\n\r\n" % (status, len(body)))
            self.wfile.write(body)


class Origin(examples_lib.Origin):
    request_queue_size = 200

    def finish_request(self, request, client_address):
        Handler(request, client_address, self)


class Example(examples_lib.Example):
    def origin(self, address, name):
        return Origin(address, name)


def statuses(at, source, count, path="/", headers=None):
    return [ask(at, path, source=source, headers=headers)[0] for _ in range(count)]


def again(sentence, since, condition, least, most):
    """The client keeps asking, some four times a second, and gets in after so many seconds."""
    def in_again():
        time.sleep(0.25)
        return condition()
    if until(sentence, in_again):
        took = time.monotonic() - since
        check(f"{sentence}: after {took:.1f} s", least <= took <= most)


def rates():
    at = "192.0.2.30"
    begin = time.monotonic()
    got = statuses(at, A, 60)
    took = time.monotonic() - begin
    check(f"50 of 60 requests of an address pass ({took:.1f} s)", got == [200] * 50 + [429] * 10 and took < 10)
    status, fields, body = ask(at, source=A)
    check("who asks for more is told when to come again", (status, fields.get("retry-after"), body) ==
          (429, "10", "Too many requests\n"))
    check("another address is served", ask(at, source=B)[0] == 200)

    clients = ["192.0.2.%d" % n for n in range(110, 114)]
    token = {"X-API-Token": "secret-of-a-customer"}
    got = [ask(at, source=clients[n % 4], headers=token)[0] for n in range(110)]
    check("100 of 110 requests with a token pass, whatever their address", got == [200] * 100 + [429] * 10)
    check("with another token the same address is served",
          ask(at, source=clients[0], headers={"X-API-Token": "b"})[0] == 200)
    check("and without one", ask(at, source=clients[0])[0] == 200)

    check("5 of 7 logins pass", statuses(at, C, 7, "/login") == [200] * 5 + [429] * 2)
    check("other paths are served", ask(at, source=C)[0] == 200)
    check("others log in", ask(at, "/login", source=B)[0] == 200)
    again("a client is served again", begin, lambda: ask(at, source=A)[0] == 200, 8, 30)
    until("a token is good again", lambda: ask(at, source=B, headers=token)[0] == 200)
    time_of_login = time.monotonic()
    again("who does not ask logs in again", time_of_login,
          lambda: "http_req_rate(10000)=0" in cli("show table by_path") and ask(at, "/login", source=C)[0] == 200,
          0, 40)


def banned(address):
    rows = [row for row in cli("show table banned").splitlines() if f"key={address} " in row]
    return rows and dict(word.split("=", 1) for word in rows[0].split() if "=" in word)


def refused(at, source, path="/"):
    """The connection is closed without a word."""
    try:
        ask(at, path, source=source)
    except (http.client.HTTPException, OSError):
        return True
    return False


def ban_list():
    at = "192.0.2.31"
    check("errors of a server are the client's to see", statuses(at, A, 21, "/status/404") == [404] * 21)
    check("some errors are no crime", statuses(at, B, 20, "/status/404") == [404] * 20 and
          ask(at, source=B)[0] == 200)
    kept = http.client.HTTPConnection(at, 80, timeout=30, source_address=(A, 0))
    kept.connect()
    check("the next request is one too many", ask(at, source=A)[0] == 403)
    check("from then on nobody listens", all(refused(at, A) for _ in range(10)))
    try:
        kept.request("GET", "/")
        silent = kept.getresponse().status
    except (http.client.HTTPException, OSError):
        silent = True
    check("nor on a connection that was there before", silent is True)
    check("others are served", ask(at, source=B)[0] == 200)
    first = int(banned(A)["exp"])
    until("time passes", lambda: not refused(at, B) and refused(at, A) and int(banned(A)["exp"]) < first - 1500)
    check("a ban has ten minutes, which tries do not prolong", 590000 < first <= 600000)
    until("its errors are forgotten", lambda: [row for row in cli("show table errors").splitlines()
                                               if f"key={A} " in row and "http_err_rate(10000)=0" in row])
    cli(f"clear table banned key {A}")
    until("who is taken from the list is served again", lambda: ask(at, source=A)[0] == 200)
    cli(f"set table banned key {C} data.gpc0 1")
    check("who is put there by hand is refused", refused(at, C))


def connection(at, source):
    """None: it was closed at once."""
    try:
        return socket.create_connection((at, 80), 30, (source, 0))
    except ConnectionError:
        return None


def served(s, path="/"):
    """The status of a request on that connection; None: it was closed."""
    if not s:
        return None
    try:
        s.sendall(request(path))
        got = Reader(s).message()
    except ConnectionError:
        return None
    return got and int(got[0].split()[1])


def concurrency():
    at = "192.0.2.32"
    mine = [connection(at, A) for _ in range(20)]
    check("20 connections of an address are served", all(served(s) == 200 for s in mine))
    check("the next one is closed", all(served(connection(at, A)) is None for _ in range(3)))
    check("others come in", ask(at, source=B)[0] == 200)
    mine.pop().close()
    until("who closes one may open another", lambda: ask(at, source=A)[0] == 200)
    for s in mine:
        s.close()

    answers = {A: [], B: [], C: []}
    threads = []
    def report(source):
        answers[source].append(ask(at, "/reports/x", source=source))
    def send(source):
        threads.append(threading.Thread(target=report, args=(source,)))
        threads[-1].start()
    send(A)
    send(A)
    check("two reports at a time", all(at_work.acquire(timeout=30) for _ in range(2)))
    status, fields, _ = ask(at, "/reports/x", source=A)
    check("not three", (status, fields.get("retry-after")) == (429, "1"))
    check("pages meanwhile", ask(at, source=A)[0] == 200)
    send(B)
    send(B)
    check("another client has its two", all(at_work.acquire(timeout=30) for _ in range(2)))
    begin = time.monotonic()
    send(C)
    until("the fifth report waits", lambda: any(
        row.startswith("reports,BACKEND,1,") for row in cli("show stat").splitlines()))
    until("for a while", lambda: answers[C])
    check(f"then it is refused, after {time.monotonic() - begin:.1f} s", answers[C][0][0] == 503 and
          4.5 < time.monotonic() - begin < 10)
    held.set()
    for t in threads:
        t.join()
    check("those that were let in are answered", [a[0] for a in answers[A] + answers[B]] == [200] * 4)
    until("and may ask again", lambda: ask(at, "/reports/x", source=A)[0] == 200)


def timed(*calls):
    """Seconds that each call took, all at once."""
    took = [None] * len(calls)
    def one(i):
        begin = time.monotonic()
        status = ask("192.0.2.33", **calls[i])[0]
        took[i] = time.monotonic() - begin if status == 200 else -1
    threads = [threading.Thread(target=one, args=(i,)) for i in range(len(calls))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return took


def bandwidth():
    mega = 1 << 20
    get = lambda path, source: {"path": f"{path}/bytes/{2 * mega}", "source": source}
    took = timed(get("/downloads", A), get("/downloads", A), get("/downloads", B), get("/pages", A))
    said = ", ".join("%.2f" % t for t in took)
    check(f"seconds: {said}", min(took) > 0)
    check("4 MB of one address take 4 s", 3.5 < max(took[:2]) < 12)
    check("2 MB of another one 2 s", 1.7 < took[2] < 8)
    check("a page of 2 MB is there before", took[3] < took[2])
    put = lambda n, source: {"path": "/", "method": "PUT", "body": b"y" * n, "source": source}
    took = timed(put(mega // 2, A), put(mega // 4, B))
    check("uploads: %.2f and %.2f s" % tuple(took), 1.8 < took[0] < 8 and 0.8 < took[1] < 6)
    took = timed({"path": "/videos/bytes/1024000", "source": A}, {"path": "/videos/bytes/1024000", "source": B})
    check("videos of 1000 kB: %.2f and %.2f s" % tuple(took), all(1.8 < t < 8 for t in took))


def two_levels():
    at = "192.0.2.34"
    begin = time.monotonic()
    got = [ask(at, source=A) for _ in range(45)]
    fields = lambda name: [f.get("x-ratelimit-" + name) for _, f, _ in got]
    check("40 of 45 requests pass", [s for s, _, _ in got] == [200] * 40 + [429] * 5)
    check("each is told what is left", fields("remaining") == [str(n) for n in range(39, -1, -1)] + ["0"] * 5)
    check("and what the limit is", fields("limit") == ["40"] * 45)
    check("the last 25 are warned", fields("warning") == [None] * 20 + ["slow down"] * 25)
    check("a refused one is told when to come again", got[44][1].get("retry-after") == "10")
    check("another client is not warned", "x-ratelimit-warning" not in ask(at, source=B)[1])
    check("in time (%.1f s)" % (time.monotonic() - begin), time.monotonic() - begin < 10)
    def lines():
        with open(WORK + "/log", errors="replace") as f:
            return [line for line in f if A in line and "rate=" in line]
    until("the log has each, with its rate", lambda: len(lines()) == 45)
    check("25 of them are warnings", sum("<4>" in line for line in lines()) == 25)
    again("who waits is served again", begin, lambda: ask(at, source=A)[0] == 200, 8, 25)


def ddos():
    at = "192.0.2.35"
    got = [served(connection(at, A)) for _ in range(60)]
    check(f"of 60 connections {got.count(200)} are served, the others closed",
          got[:40] == [200] * 40 and got[40:].count(None) >= 15)
    check("others do not notice", ask(at, source=B)[0] == 200)
    again("who calms down is served", time.monotonic(), lambda: not refused(at, A), 0, 15)

    many = [connection(at, C) for _ in range(30)]
    check("30 connections at a time", all(served(s) == 200 for s in many))
    check("not 31", served(connection(at, C)) is None)
    slow = connection(at, B)
    begin = time.monotonic()
    slow.sendall(b"GET / HTTP/1.1\r\nHost:")
    sent = 0
    while not select.select([slow], [], [], 0.5)[0]:
        slow.sendall(b" ")
        sent += 1
    took = time.monotonic() - begin
    check(f"a slow head is not waited for: {took:.1f} s", slow.recv(1000).startswith(b"HTTP/1.") and 4.5 < took < 15)
    until("nor is a request that does not come", lambda: all(select.select([s], [], [], 0)[0] for s in many))
    check("those connections are closed", all(s.recv(1000) == b"" for s in many))

    with connection(at, "192.0.2.120") as s:
        got = [served(s) for _ in range(100)]
    with connection(at, "192.0.2.120") as s:
        while len(got) < 200:
            got.append(served(s))
            if got[-1] is None:
                got.pop()
                s = connection(at, "192.0.2.120")
        s.settimeout(2)
        try:
            s.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            silent = s.recv(1000)
        except TimeoutError:
            silent = "silent"
    check("100 requests of an address pass, 100 are refused", got == [200] * 100 + [429] * 100)
    check("then nobody answers", silent == "silent")
    with connection(at, "192.0.2.121") as s:
        got = [served(s, "/status/404") for _ in range(21)]
        begin = time.monotonic()
        last = served(s)
        took = time.monotonic() - begin
    check(f"who makes 21 errors waits {took:.1f} s for the next", got == [404] * 21 and last == 429 and 2.5 < took < 15)


judges = {"rates": rates, "ban-list": ban_list, "concurrency": concurrency, "bandwidth": bandwidth,
          "two-levels": two_levels, "ddos": ddos}
name = sys.argv[4].removeprefix("limits-")
run("limits-", [(name, judges[name])], Example)
