# SPDX-License-Identifier: BSD-2-Clause
"""What counters.sh describes."""
import os
import signal
import socket
import ssl
import threading
import time

from frames import GOAWAY, frame, rst
from http1 import chunked, chunks_of, reply, request
from ledger import Books, csv_rows, typed_rows, unplaced
from ledger_world import Server, Visit, Visit2, closed
from origin import serve_each, shut
from service import PATIENCE, Service, address, check, connect, finish, until
from sockets import any_server, reset, server_with

service = Service("workers")
workers = int(service.args.workers)
books = Books(service.cfg, workers)


# -- looking --

def ask(command):
    """A question to the stats socket, which counts like any connection."""
    books.add("info", CumConns=1, CumReq=1)
    return service.ask(command)


def info():
    return service.info(through=ask)


def look(read, command):
    return books.wrong(read(ask(command)), info())


def judge(sentence, patience=float(os.environ.get("LEDGER_PATIENCE", "20"))):
    """Waits until all numbers are those of the books."""
    for read, command in (typed_rows, "show stat typed"), (csv_rows, "show stat"):
        end = time.monotonic() + patience
        while (wrong := look(read, command)) and time.monotonic() < end:
            time.sleep(0.02)
        check(f"{sentence}: {command}", not wrong, "\n".join(wrong))


def settle():
    """Waits until nothing is under way that is not in the books, so that maxima are exact."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        rows = csv_rows(ask("show stat"))
        if all(int(row["scur"]) == books.proxies[p].rows[n]["scur"] for (p, n), row in rows.items()):
            return
        time.sleep(0.005)


def visit(fe, *requests, **words):
    """A connection with these exchanges; the statuses."""
    v = Visit(books, fe, **words)
    said = [v.exchange(*r) if isinstance(r, tuple) else v.exchange(r) for r in requests]
    v.close()
    settle()
    return [status for status, *_ in said]


# -- what happens --

BODY = b"0123456789" * 500


def plain_answers(asked):
    """/N is answered with that status."""
    word = asked.path.split("/")[-1]
    if word == "chunks":
        asked.body()
        return chunked(BODY, size=700)
    if word == "interim":
        asked.tap.sendall(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n")
    asked.body()
    if word == "text":
        return reply(BODY, "Content-Type: text/plain")
    if asked.head.startswith(b"HEAD"):
        return b"HTTP/1.1 200 OK\r\nContent-Length: 77\r\n\r\n"
    if word in ("204", "304"):
        return f"HTTP/1.1 {word} X\r\n\r\n".encode()
    if word == "no":
        return reply(b"", "X-No: yes")
    if word in ("418", "419"):
        return reply(b"", status=int(word))
    return reply(BODY[:33], status=int(word) if word.isdigit() else 200)


def plain():
    """Exchanges over connections that are kept, and that are not, with bodies both ways."""
    Server(books, "plain_b/s", plain_answers)
    visit("plain", request("/200"), request("/chunks"), request("/x", body=BODY),
          request("/x", "Transfer-Encoding: chunked", method="POST") + chunks_of(BODY, 900))
    visit("plain", request("/200"), (request("/x", method="HEAD"), "default", True))
    for status in 204, 301, 304, 404, 500, 503, 700:
        visit("plain", (request(f"/{status}"), "default", status in (204, 304)))
    visit("plain", request("/200", close=True))
    visit("plain", request("/interim"), request("/interim"))


def sealed():
    """TLS with clients and with a server: new and resumed sessions, a handshake that fails."""
    pem = service.args.dir + "/certs/site.pem"
    Server(books, "sealed_b/s", plain_answers, server_with(pem, "http/1.1"))
    seal, known = any_server("http/1.1", version=ssl.TLSVersion.TLSv1_2), None
    for resumed in False, True:
        v = Visit(books, "sealed", seal=seal, session=known)
        books.add("info", CurrSslConns=1, CumSslConns=1, SslCacheLookups=int(resumed))
        known = v.tap.s.session
        check(f"the session is {'resumed' if resumed else 'new'}", v.tap.s.session_reused == resumed)
        v.exchange(request("/x", body=BODY))
        v.tap.s.unwrap()  # a record that is no request
        v.close()
        books.add("info", CurrSslConns=-1)
        settle()
    v = Visit(books, "sealed", passes=False)
    books.add("info", CumSslConns=1)
    v.tap.sendall(b"no TLS\r\n\r\n")
    v.ends()
    v.closed()
    books.add("sealed/FRONTEND sealed/l", ssl_failed_handshake=1, ereq=1)
    settle()


def two():
    """HTTP/2: exchanges, a stream that the client resets, a mistake."""
    go = threading.Event()

    def answers(asked):
        if asked.path == "/wait":
            go.set()
            asked.reader.rest()
            return None
        return plain_answers(asked)
    Server(books, "two_b/s", answers)
    v = Visit2(books, "two")
    for path, body, status in ("/200", b"", 200), ("/x", BODY, 200), ("/404", b"", 404), ("/interim", b"", 200):
        said = v.hears_of(v.opens(path, body))
        check(f"HTTP/2, {path}: {status}", said[0] in (status, 100), said)
    stream = v.opens("/wait")
    go.wait(PATIENCE)
    settle()
    v.client.send(rst(stream))
    v.sends(rst_stream=1)
    books.add("two/FRONTEND", h2_glitches=1)
    books.add("info", H2FrontendResetStreams=1, H2FrontendGlitches=1)
    books.add("two/FRONTEND two_b/BACKEND two_b/s", cli_abrt=1)
    v.over()
    settle()
    v.client.send(frame(GOAWAY, 0, 0, bytes(8)))
    v.sends(goaway=1)
    books.add("two/FRONTEND", h2_goaway_resp=1)  # the answer to it
    v.client.ping()
    v.close()
    settle()


# -- rules, and what the program answers by itself --

def rules():
    Server(books, "rules_b/s", plain_answers)
    rules_of_connections()
    for path, status, denied in (("/deny", 403, 1), ("/auth", 401, 0), ("/redirect", 302, 0), ("/return", 200, 0),
                                 ("/tarpit", 500, 1), ("/metrics", 200, 0), ("/stats", 200, 0), ("/monitor", 200, 0)):
        v = Visit(books, "rules")
        said = v.exchange(request(path, close=True), None, unframed=path in ("/metrics", "/stats"))
        check(f"{path}: {status}", said[0] == status, said[0])
        v.close()
        books.add("rules/FRONTEND rules/l", dreq=denied)
        books.add("rules/FRONTEND", intercepted=int(not denied))
        settle()
    silent()
    refused_behind()
    wrong_requests()


def rules_of_connections():
    for source, column in ("127.0.0.2", "dcon"), ("127.0.0.3", "dses"):
        v = Visit(books, "rules", source=source, passes=False)
        v.ends()
        v.closed()
        books.add("rules/FRONTEND rules/l", **{column: 1})
        settle()
    v = Visit(books, "rules", source="127.0.0.4")
    v.asks(None)
    v.say(request("/200"), None)
    v.ends()
    v.over(None)
    v.closed()
    books.add("rules/FRONTEND rules/l", dreq=1)
    settle()


def silent():
    """The client hears nothing more; it ends by itself."""
    v = Visit(books, "rules")
    v.asks(None)
    v.say(request("/silent"), None)
    v.over(None)
    v.closed()
    books.add("rules/FRONTEND rules/l", dreq=1)
    settle()
    v.close()


ALL = "rules/FRONTEND rules/l rules_b/BACKEND"


def refused_behind():
    """By a backend: requests, and answers of the server."""
    v = Visit(books, "rules")
    v.exchange(request("/deny-b", close=True), "rules_b/", answered=False)
    v.close()
    books.add(ALL, dreq=1)
    settle()
    v = Visit(books, "rules")
    v.asks()
    v.say(request("/418", close=True))
    v.hears(answered=False)
    v.over()
    books.add("rules_b/s", req_tot=1, hrsp_4xx=1)
    books.add(ALL + " rules_b/s", dresp=1)
    v.close()
    settle()
    for path in "/419", "/no":
        v = Visit(books, "rules")
        v.asks()
        v.say(request(path))
        v.over()
        v.closed()
        books.add(ALL + " rules_b/s", dresp=1)
        settle()
        v.close()


def wrong_requests():
    """What is no request; a rewriting that fails."""
    v = Visit(books, "rules")
    v.begins()
    v.say(b"this is no request\r\n\r\n", None)
    said = v.hears(None, answered=False)
    check("no request: 400", said[0] == 400)
    v.over(None)
    v.close()
    books.add("rules/FRONTEND rules/l", ereq=1)
    books.add("rules/FRONTEND", req_tot=1)
    books.add("info", CumReq=1)
    settle()
    v = Visit(books, "rules")
    said = v.exchange(request("/rewrite", close=True), None, answered=False)
    check("/rewrite: 500", said[0] == 500, said[0])
    v.close()
    books.add("rules/FRONTEND rules/l", wrew=1, eint=1)
    settle()


# -- servers that fail --

def fault_answers(asked):
    if asked.path == "/none":
        return None
    if asked.path == "/garbage":
        asked.tap.sendall(b"no answer\r\n\r\n")
        books.add("faults_b/BACKEND", h1_bytes_in=-len(b"no answer\r\n\r\n"))  # it is no message
        return None
    if asked.path == "/cut":
        asked.tap.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789")
        return None
    return reply(b"good")


def faults():
    Server(books, "faults_b/s", fault_answers)
    for path in "/none", "/garbage":
        v = Visit(books, "faults")
        said = v.exchange(request(path, close=True), answered=False)
        check(f"{path}: 502", said[0] == 502, said[0])
        v.close()
        books.add("faults_b/BACKEND faults_b/s", eresp=1)
        settle()
    v = Visit(books, "faults")
    v.asks()
    v.say(request("/cut"))
    v.ends("faults_b/s")
    v.over()
    v.closed()
    v.counts(200, "faults_b/s")
    books.add("faults_b/BACKEND faults_b/s", eresp=1)
    books.add("faults/FRONTEND faults_b/BACKEND faults_b/s", srv_abrt=1)
    settle()


def refused():
    """Nobody listens: two retries, and an error. Another server takes what one has refused."""
    v = Visit(books, "refused")
    said = v.exchange(request("/", close=True), answered=False)
    check("refused: 503", said[0] == 503, said[0])
    v.close()
    books.add("refused_b/BACKEND refused_b/s", connect=3, wretr=2, econ=1)
    settle()
    Server(books, "moved_b/s", plain_answers)
    v = Visit(books, "moved")
    v.asks("moved_b/gone")
    v.say(request("/200", close=True))
    v.hears()
    v.leaves("moved_b/gone")
    v.reaches("moved_b/s")
    books.add("moved_b/BACKEND", stot=-1)
    v.over("moved_b/s")
    v.close()
    books.add("moved_b/BACKEND moved_b/gone", connect=1, wredis=1)
    settle()


def again():
    """Answers that are asked for once more."""
    seen = []

    def answers(asked):
        seen.append(asked.path)
        if len(seen) == 1:
            return None
        return reply(b"", status=503, close=True) if len(seen) == 3 else reply(b"good")
    Server(books, "again_b/s", answers)
    visit("again", request("/"), request("/"))
    books.add("again_b/BACKEND again_b/s", wretr=2)


# -- time --

def half_head(what, proxy, status, finish=False):
    """A client says half of a head, waits or says no more, and is told."""
    v = Visit(books, proxy)
    v.begins()
    v.say(b"GET / HTTP/1.1\r\nHo", None)
    if finish:
        v.tap.s.shutdown(socket.SHUT_WR)
    said = v.hears(None)
    check(f"{what}: {status}", said[0] == status, said[0])
    v.over(None)
    v.close()
    books.add(f"{proxy}/FRONTEND {proxy}/l", ereq=1)
    books.add(f"{proxy}/FRONTEND", req_tot=1)
    books.add("info", CumReq=1)
    settle()


def timeouts():
    Server(books, "slow_b/s", lambda asked: asked.reader.rest() and None)
    half_head("timeout http-request", "hurry", 408)
    v = Visit(books, "slow")
    said = v.exchange(request("/", close=True), answered=False)
    check("timeout server: 504", said[0] == 504, said[0])
    v.close()
    books.add("slow_b/BACKEND slow_b/s", eresp=1)
    settle()
    v = Visit(books, "mute")
    Server(books, "mute_b/s", lambda asked: asked.body() and reply(b""))
    v.asks()
    v.say(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345")
    said = v.hears(answered=False)
    check("timeout client: 408", said[0] == 408, said[0])
    v.over()
    v.close()
    books.add("mute/FRONTEND mute_b/BACKEND mute_b/s", cli_abrt=1)
    settle()


def deaf():
    """A server whose queue of connections is full."""
    with socket.create_server(address(books.proxies["deaf_b"].address["s"]), backlog=0) as listener:
        crowd = [socket.socket() for _ in range(4)]
        for s in crowd:
            s.setblocking(False)
            s.connect_ex(listener.getsockname())
        v = Visit(books, "deaf")
        said = v.exchange(request("/", close=True), answered=False)
        check("timeout connect: 503", said[0] == 503, said[0])
        v.close()
        books.add("deaf_b/BACKEND deaf_b/s", econ=1, connect=1)
        settle()
        for s in crowd:
            s.close()


# -- queues --

def held_answers(go):
    def answer(asked):
        while asked.path != "/now" and not go.wait(0.02):
            if asked.aborted():
                raise ConnectionAbortedError
        return reply(b"good")
    return answer


def line():
    """One waits until the other has been answered; one waits too long."""
    go = threading.Event()
    Server(books, "line_b/s", held_answers(go))
    first, second = Visit(books, "line"), Visit(books, "line")
    first.asks()
    first.say(request("/", close=True))
    settle()
    second.begins()
    books.add("info", CumReq=1)
    books.add("line/FRONTEND", req_tot=1)
    books.add("line_b/BACKEND", req_tot=1, stot=1)
    books.high("line_b/BACKEND", "scur", "smax", 1)
    second.say(request("/", close=True))
    books.high("line_b/BACKEND", "qcur", "qmax", 1)
    judge("one waits in the queue")
    go.set()
    first.hears()
    first.over()
    first.close()
    books.add("line_b/BACKEND", scur=-1, stot=-1)
    books.add("line_b/BACKEND", qcur=-1)
    second.reaches("line_b/s", balanced=False)
    second.hears()
    second.over()
    second.close()
    settle()


def late():
    go = threading.Event()
    Server(books, "late_b/s", held_answers(go))
    first, second = Visit(books, "late"), Visit(books, "late")
    first.asks()
    first.say(request("/", close=True))
    settle()
    books.high("late_b/BACKEND", "qcur", "qmax", 1)
    said = second.exchange(request("/", close=True), "late_b/", answered=False)
    books.add("late_b/BACKEND", qcur=-1, econ=1)
    check("timeout queue: 503", said[0] == 503, said[0])
    second.close()
    go.set()
    first.hears()
    first.over()
    first.close()
    settle()


def full():
    """One waits in the kernel, before it is accepted."""
    Server(books, "full_b/s", plain_answers)
    first, second = Visit(books, "full"), Visit(books, "full", passes=None)
    books.put("full/FRONTEND full/l", status="FULL")
    first.exchange(request("/200"))
    judge("a frontend is full")
    first.close()
    second.comes()
    second.exchange(request("/200"))
    second.close()
    books.put("full/FRONTEND full/l", status="OPEN")
    settle()


# -- clients that leave --

def left_answers(come, go):
    def answer(asked):
        if asked.path == "/half":
            asked.tap.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789")
        come.set()
        if asked.path == "/half":
            go.wait(PATIENCE)
            asked.tap.sendall(b"0123456789")
            books.add("left_b/BACKEND", h1_bytes_in=-10)  # what the client does not take is not counted
        asked.reader.rest()
    return answer


def left():
    come, go = threading.Event(), threading.Event()
    Server(books, "left_b/s", left_answers(come, go))
    for path in "/wait", "/half":
        go.clear()
        v = Visit(books, "left")
        v.asks()
        v.say(request(path))
        come.wait(PATIENCE)
        come.clear()
        if path == "/half":
            head = v.reader.head()
            v.reader.exactly(10)
            v.moved("left_b/s", len(head) + 4 + 10, "bout")
            v.counts(200, "left_b/s")
        settle()
        reset(v.tap.s)
        go.set()
        v.over()
        v.closed()
        books.add("left/FRONTEND left_b/BACKEND left_b/s", cli_abrt=1)
        settle()
    half_head("a head that ends", "left", 400, finish=True)


# -- the rest --

def small():
    """Compression."""
    Server(books, "small_b/s", plain_answers)
    v = Visit(books, "small")
    said = v.exchange(request("/text", "Accept-Encoding: gzip"), unframed=True)
    check("it was compressed", b"gzip" in said[1])
    v.exchange(request("/text"))
    v.close()
    books.add("small/FRONTEND small_b/BACKEND", comp_in=len(BODY), comp_out=len(said[2]), comp_rsp=1)
    books.add("small/FRONTEND small/l small_b/BACKEND small_b/s", bout=len(BODY) - len(said[2]))  # before it
    settle()


def stuck():
    """The second is sent where the first was."""
    Server(books, "stuck_b/s", plain_answers)
    visit("stuck", request("/200"), (request("/200"), "default", False, True, False))


def echo():
    def answer(s):
        books.add("bytes_b/BACKEND bytes_b/s", connect=1)
        while piece := s.recv(100000):
            s.sendall(piece)
    serve_each(books.proxies["bytes_b"].address["s"], answer)
    v = Visit(books, "bytes")
    v.reaches("bytes_b/s")
    v.say(BODY)
    check("bytes come back", v.reader.exactly(len(BODY)) == BODY)
    v.moved("bytes_b/s", len(BODY), "bout")
    settle()
    v.tap.s.close()
    v.leaves("bytes_b/s")
    v.book()
    v.closed()
    settle()


def down(backend):
    books.put(f"{backend}/s", status="DOWN", check_status="L4CON", check_health=0, last_chk="Connection refused",
              check_desc="Layer4 connection problem")
    books.put(f"{backend}/BACKEND", status="DOWN", weight=0, uweight=0, act=0)
    books.add(f"{backend}/s {backend}/BACKEND", chkdown=1)
    books.add(f"{backend}/s", chkfail=1)


def up(backend):
    books.put(f"{backend}/s", status="UP", check_status="L4OK", check_health=1, last_chk="",
              check_desc="Layer4 check passed")
    books.put(f"{backend}/BACKEND", status="UP", weight=1, uweight=1, act=1)


def wait_for(backend, status):
    until(f"{backend} is {status}", lambda: csv_rows(ask("show stat"))[backend, "s"]["status"] == status)


def checks():
    """A server that is down, comes, and goes again."""
    wait_for("checked_b", "DOWN")
    v = Visit(books, "checked")
    said = v.exchange(request("/", close=True), "checked_b/", answered=False)
    check("no server: 503", said[0] == 503, said[0])
    v.close()
    books.add("checked_b/BACKEND", econ=1)
    server = Server(books, "checked_b/s", plain_answers)
    wait_for("checked_b", "UP")
    visit("checked", request("/200", close=True))
    shut(server.listener)
    wait_for("checked_b", "DOWN")
    down("checked_b")
    settle()


def seen():
    """Errors that the traffic shows are counted of the server."""
    Server(books, "seen_b/s", plain_answers)
    wait_for("seen_b", "UP")
    up("seen_b")
    books.put("seen_b/s", check_health=3)
    visit("seen", request("/500"), request("/503"), request("/200"))
    books.add("seen_b/s", hanafail=1, chkfail=1)


def judged():
    """Without another check, the traffic alone says what a server is worth: in all workers."""
    Server(books, "judged_b/s", plain_answers)
    for command in "enable server judged_b/s", "set server judged_b/s health up":
        ask(command)
    visit("judged", request("/500"), request("/503"))
    up("judged_b")
    books.put("judged_b/s", status="UP 2/3", check_status="HANA", check_health=2, check_desc="Health analyze",
              last_chk="Detected 2 consecutive errors, last one was: Wrong http response")
    books.add("judged_b/s", hanafail=1, chkfail=1)


# -- a worker that dies --

def hold(go):
    """Clients in all states, over both workers."""
    Server(books, "held_b/s", held_answers(go))
    visits = []
    for i in range(6):
        kept, waits, two_kept = Visit(books, "held"), Visit(books, "held"), Visit2(books, "two")
        kept.exchange(request("/now"))
        waits.asks()
        waits.say(request("/wait"))
        two_kept.hears_of(two_kept.opens("/200"))
        visits += [kept, waits, two_kept]
        settle()
    return visits


def has(pid, inode):
    """Whether the process has that socket."""
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            if os.readlink(f"/proc/{pid}/fd/{fd}") == f"socket:[{inode}]":
                return True
        except FileNotFoundError:
            pass
    return False


def worker_of(v):
    """Which one serves it."""
    ends = [f"0100007F:{name[1]:04X}" for name in (v.tap.s.getpeername(), v.tap.s.getsockname())]
    with open("/proc/net/tcp", encoding="ascii") as f:
        inode = next(line.split()[9] for line in f if line.split()[1:4] == [*ends, "01"])
    return next(pid for pid in books.pids if has(pid, inode))


def killed():
    """What a dead worker had under way is in no sum any more; what it has counted stays."""
    ask("disable health judged_b/s")  # whoever checks next would do so at once
    books.row("judged_b/s").checked = False
    books.put("judged_b/s", status="no check")
    go = threading.Event()
    visits = hold(go)
    judge("before a worker is killed")
    victim = worker_of(visits[1])
    os.kill(victim, signal.SIGKILL)
    until("another one takes its place", lambda: len(service.workers()) == workers and
          victim not in service.workers())
    books.pids = service.workers()
    dead = [v for v in visits if closed(v.tap.s)]
    check("its clients have lost it", visits[1] in dead)
    for v in dead:
        v.lost()
    judge("a worker was killed")
    go.set()
    for v in visits:
        if v not in dead:
            v.ends_well()
    judge("the others have been served")


SCENES = [judged, plain, sealed, two, rules, faults, refused, again, timeouts, deaf, line, late, full, left, small,
          stuck, echo, checks, seen]


def main():
    wrong = unplaced(os.environ["srcdir"] + "/include")
    check("each counter has its place in the ledger", not wrong, "\n".join(wrong))
    before = service.info()  # start_penstock has asked, too
    books.pids = service.workers() if workers > 1 else [service.pid]
    books.put("info", Listeners=2 + sum(p.kind == "frontend" for p in books.proxies.values()),
              CumConns=int(before["CumConns"]), CumReq=int(before["CumReq"]))
    books.add("info", Jobs=1 + books.info["Listeners"])
    for backend in "checked_b", "seen_b":
        down(backend)
        wait_for(backend, "DOWN")
    for scene in SCENES:
        scene()
    judge("at the end")
    if workers > 1:
        killed()


main()
finish()
