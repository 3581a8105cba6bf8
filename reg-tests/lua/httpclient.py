# SPDX-License-Identifier: BSD-2-Clause
"""What scripts reach by name and by TLS, and what becomes of it: names that are unknown, silent,
cut or forged, servers that are slow or dead, certificates that are wrong, clients that leave,
workers that are killed, a reload. `--what` says which parts; the program runs with the
configuration for it."""
import itertools
import os
import signal
import socket
import threading
from concurrent.futures import ThreadPoolExecutor

from http1 import Reader
from nameserver import A, FORGED, GARBAGE, REFUSED, SERVFAIL, SILENT, NameServer
from processes import descriptors
from service import PATIENCE, Service, check, connect, finish, read_all, until
from sockets import ends_by_reset, server_with

service = Service("what", "certs")
front, certs = service.args.front, service.args.certs
ZONE = {
    "one.test": ["127.0.0.1"], "both.test": ["127.0.0.1", "::1"], "six.test": ["::1"],
    "silent.test": SILENT, "quiet.test": SILENT, "fail.test": SERVFAIL, "refused.test": REFUSED, "empty.test": [],
    "alias.test": "one.test", "garbage.test": GARBAGE, "forged.test": FORGED, "cut.test": ["127.0.0.1"],
    "many.test": [f"127.0.0.{i}" for i in range(1, 41)], "second.test": ["127.0.0.9", "127.0.0.1"],
    "moving.test": ["127.0.0.1"], "auth.test": ["127.0.0.1"], "good.test": ["127.0.0.1"],
    "wrong.test": ["127.0.0.1"], "dead.test": ["127.0.0.9"], "slow.test": ["127.0.0.1"],
}
names = NameServer(ZONE, cut={"cut.test", "many.test"})


class Origin:
    """Says on which address, and for the how many-th time on this connection, it was asked. plain:
    answers whatever comes, as a server of HTTP does that is spoken to by TLS."""

    def __init__(self, port, address="127.0.0.1", cert=None, hold=None, plain=False):
        self.plain = plain
        self.address, self.hold = address, hold
        self.connections = self.open = self.requests = 0
        self.asked_for = []
        self.held = []
        self.lock = threading.Lock()
        self.context = None
        if cert:
            self.context = server_with(os.path.join(certs, cert + ".pem"))
            self.context.sni_callback = lambda s, name, c: self.asked_for.append(name)
        self.listener = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind((address, port))
        self.listener.listen(2000)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            s, _ = self.listener.accept()
            with self.lock:
                self.connections += 1
                self.open += 1
            threading.Thread(target=self.serve, args=(s,), daemon=True).start()

    def serve(self, s):
        try:
            s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self.plain:
                s.recv(65536)
                s.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
                return
            if self.context:
                s = self.context.wrap_socket(s, server_side=True)
            self.converse(s)
        except OSError:
            pass
        finally:
            s.close()
            with self.lock:
                self.open -= 1

    def converse(self, s):
        reader = Reader(s)
        for n in itertools.count(1):
            found = reader.message()
            if found is None:
                return
            head = found[0]
            with self.lock:
                self.requests += 1
            path = head.split()[1].decode()
            if self.hold and path.startswith("/hold"):
                self.hold.wait(PATIENCE)
            if path == "/silent":
                while s.recv(65536):
                    pass
                return
            body = f"{self.address} {n}".encode()
            answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
            evil = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
            s.sendall(answer + (evil if path == "/junk" else b""))
            if path == "/later":
                s.sendall(evil)
            if path == "/once" or b"HTTP/1.0" in head:
                return


def asks(query, path="/"):
    s = connect(front)
    s.sendall(f"GET {path}?{query} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
    got = read_all(s)
    s.close()
    ms, said = got.split(b"\r\n\r\n", 1)[1].decode().split(" ", 1)
    return int(ms), said


def says(sentence, query, wanted, least=0, most=60000):
    return judge(sentence, asks(query), wanted, least, most)


def judge(sentence, answer, wanted, least=0, most=60000):
    ms, said = answer
    good = said.startswith(wanted) and least <= ms <= most
    check(f"{sentence}{'' if good else f': {said[:90]!r} in {ms} ms'}", good)
    return said


def say_at_once(*rows):
    """says() for each row, of which none waits for another."""
    with ThreadPoolExecutor(len(rows)) as pool:
        answers = list(pool.map(lambda row: asks(row[1]), rows))
    for (sentence, _, *bounds), answer in zip(rows, answers):
        judge(sentence, answer, *bounds)


later = []  # what comes when time has passed: asked for when all parts have begun


def names_part():
    Origin(8080)
    Origin(8080, "::1")
    later.append(moved())
    says("a name", "url=http://one.test:8080/", "200 127.0.0.1")
    says("letters do not count", "url=http://ONE.Test.:8080/", "200 127.0.0.1")
    says("of both families IPv6 comes first", "url=http://both.test:8080/", "200 ::1")
    says("a name with IPv6 alone", "url=http://six.test:8080/", "200 ::1")
    says("another name's name", "url=http://alias.test:8080/", "200 127.0.0.1")
    says("an answer that does not fit over UDP", "url=http://cut.test:8080/", "200 127.0.0.1")
    check("it was asked for over TCP", names.by_tcp["cut.test", A] == 1)
    says("forty addresses", "url=http://many.test:8080/", "200 127.0.0.1")
    says("others' answers are not believed", "url=http://forged.test:8080/", "200 127.0.0.1")
    says("the second address, where the first one refuses", "url=http://second.test:8080/", "200 127.0.0.1",
         most=900)
    says("a name of /etc/hosts", "url=http://hosted.test:8080/", "200 127.0.0.1")
    says("this host", "url=http://localhost:8080/", "200 ::1")
    check("nobody is asked for these", not names.asked["hosted.test", A] and not names.asked["localhost", A])
    says("an address of IPv6", "url=http://[::1]:8080/", "200 ::1")
    says("no such name", "url=http://nx.test:8080/", "503", most=4000)
    says("a name without addresses", "url=http://empty.test:8080/", "503", most=4000)
    say_at_once(
        ("a server that fails", "url=http://fail.test:8080/", "503", 0, 5500),
        ("a server that refuses", "url=http://refused.test:8080/", "503", 0, 5500),
        ("a server that says nonsense", "url=http://garbage.test:8080/", "503", 0, 7000),
        ("a server that says nothing, three times", "url=http://silent.test:8080/", "503", 2900, 7000),
        ("a socket to a silent name", "connect=quiet.test&8080", "nil Can't connect", 0, 7000),
        ("a server that is not there: three more attempts", "url=http://dead.test:8080/", "503", 2900, 5000))
    says("what is no name", "url=http://a_%C3%A4.test:8080/", "503", most=900)
    says("a socket by name", "connect=one.test&8080", "200 127.0.0.1")
    says("name and port in one word", "connect=one.test:8080", "200 127.0.0.1")
    says("of both families", "connect=both.test&8080", "200 ::1")
    says("one that is asked for", "connect=ipv4@both.test&8080", "200 127.0.0.1")
    says("the second address of a socket", "connect=second.test&8080", "200 127.0.0.1", most=900)
    says("a socket to no such name", "connect=nx.test&8080", "nil Can't connect")
    says("a socket to what is no name", "connect=a!b&8080", "error")
    says("a server that is silent", "url=http://one.test:8080/silent&&200", "504", 190, 3000)


def moved():
    """A name that changes, when "hold valid" is over, which is waited for by what this returns."""
    Origin(8090)
    Origin(8090, "127.0.0.2")
    says("before a name moves", "url=http://moving.test:8090/once", "200 127.0.0.1")
    names.zone["moving.test"] = ["127.0.0.2"]

    def wait():
        until("behind 'hold valid' it has moved",
              lambda: asks("url=http://moving.test:8090/once")[1].startswith("200 127.0.0.2"))
        before = sum(names.asked.values())
        for _ in range(20):
            asks("url=http://auth.test:8090/once")
        check("one answer serves for 'hold valid'", sum(names.asked.values()) - before <= 2)
    return wait


def tls_part():
    good, own = Origin(8443, cert="good"), Origin(8444, cert="own")
    says("https", "url=https://good.test:8443/", "200 127.0.0.1 1")
    says("again on the same connection", "url=https://good.test:8443/", "200 127.0.0.1 2")
    check("its name was asked for", good.asked_for[-1] == "good.test")
    says("a name with a dot at its end", "url=https://good.test.:8443/", "200 127.0.0.1 1")
    check("which certificates do not have, nor is it asked for", good.asked_for[-1] == "good.test")
    says("a certificate for another name", "url=https://wrong.test:8443/", "503", most=900)
    says("a certificate for no address", "url=https://127.0.0.1:8443/", "503", most=900)
    check("no address was asked for as a name", good.asked_for[-1] is None)
    says("a certificate of nobody's", "url=https://good.test:8444/", "503", most=900)
    check("the log says why", service.logged("no TLS with good.test") + service.logged("no TLS with wrong.test") > 0)
    says("elsewhere, for that name", "url=https://good.test/&127.0.0.1:8443", "200 127.0.0.1")
    says("a socket with TLS is not verified", "connect_ssl=127.0.0.1&8444", "200 127.0.0.1")
    says("nor by name", "connect_ssl=wrong.test&8444", "200 127.0.0.1")
    check("whose name is asked for", own.asked_for[-1] == "wrong.test")
    Origin(8445, plain=True)
    says("a server that does not speak TLS", "url=https://one.test:8445/", "503", most=60000)


def kept_part():
    origin = Origin(8081)
    first = [asks("url=http://one.test:8081/")[1] for _ in range(5)]
    check("a connection serves one request after the other", first == [f"200 127.0.0.1 {n}" for n in range(1, 6)])
    says("another name has another one", "url=http://alias.test:8081/", "200 127.0.0.1 1")
    says("and so has another place", "url=http://one.test:8081/&127.0.0.1:8081", "200 127.0.0.1 1")
    says("POST takes one that was busy just now", "post=http://one.test:8081/", "200 127.0.0.1 6")
    says("a server that closes", "url=http://one.test:8081/once", "200 127.0.0.1 7")
    says("is connected to anew", "url=http://one.test:8081/", "200 127.0.0.1 1")
    says("one that says more than it was asked for", "url=http://one.test:8081/junk", "200 127.0.0.1 2")
    says("is not believed", "url=http://one.test:8081/", "200 127.0.0.1 1")
    until("nor kept", lambda: origin.open == 3)
    says("nor is one that says more when nobody asks", "url=http://one.test:8081/later", "200 127.0.0.1 2")
    until("which is closed", lambda: origin.open == 2)
    says("for another one", "url=http://one.test:8081/", "200 127.0.0.1 1")
    later.append(lambda: until("what nobody needs is closed", lambda: not origin.open))


def many_part():
    """A thousand at once, to a server that holds them."""
    hold = threading.Event()
    origin = Origin(8082, hold=hold)
    clients = [connect(front) for _ in range(1000)]
    for s in clients:
        s.sendall(b"GET /?url=http://slow.test:8082/hold HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    until("a thousand requests of scripts are under way", lambda: origin.requests == 1000)
    check("their name was asked for once", names.asked["slow.test", A] <= 2)
    check("the loop goes on", service.get("/in/x") == 200)
    hold.set()
    good = sum(b"200 127.0.0.1 1" in read_all(s) for s in clients)
    check(f"all of them are answered: {good}", good == 1000)
    later.append(lambda: until("256 connections are kept, and closed", lambda: not origin.open))


def gone_part():
    """Clients that leave while their script waits for a name, a connection, an answer."""
    origin = Origin(8080)
    before = descriptors(service.pid)
    for url in "http://silent.test:8080/", "http://dead.test:8080/", "http://one.test:8080/silent":
        for reset in (True,) if "one.test" in url else (False, True):
            s = connect(front)
            s.sendall(f"GET /?url={url} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            until("its script waits", lambda: service.ask("show sess").count("fe=fe"))
            if reset:
                ends_by_reset(s)
            s.close()
    until("no session is left of clients that have gone", lambda: not service.ask("show sess").count("fe=fe"))
    until("nor a connection of theirs", lambda: not origin.open)
    until("nor a descriptor", lambda: descriptors(service.pid) <= before)


def command_part():
    Origin(8080)
    said = service.ask("expert-mode on; httpclient GET http://one.test:8080/")
    check("the command shows the answer", "HTTP/1.1 200 OK\nContent-Length: 11\r\n\r\n127.0.0.1 1" in said)
    said = service.ask("expert-mode on; httpclient HEAD http://nx.test/")
    check("and what is none", "HTTP/1.1 503 Service Unavailable" in said)
    check("it is for experts", "expert mode only" in service.ask("httpclient GET http://one.test:8080/"))
    check("with two words", "not enough parameters" in service.ask("expert-mode on; httpclient GET"))
    check("a URL", "no http://" in service.ask("expert-mode on; httpclient GET one.test"))
    check("and a method", "method" in service.ask("expert-mode on; httpclient FOO http://one.test"))


def confined_part():
    Origin(8080)
    Origin(8443, cert="good")
    says("a name, without rights and files", "url=http://one.test:8080/", "200 127.0.0.1")
    says("an answer over TCP", "url=http://cut.test:8080/", "200 127.0.0.1")
    says("a name of /etc/hosts", "url=http://hosted.test:8080/", "200 127.0.0.1")
    says("https", "url=https://good.test:8443/", "200 127.0.0.1 1")
    says("again on the same connection", "url=https://good.test:8443/", "200 127.0.0.1 2")


def words_part():
    Origin(8080)
    Origin(8080, "::1")
    Origin(8444, cert="own")
    says("IPv4 first", "url=http://both.test:8080/", "200 127.0.0.1")
    says("IPv6, where there is nothing else", "url=http://six.test:8080/", "200 ::1")
    says("not verified", "url=https://wrong.test:8444/", "200 127.0.0.1")
    says("not tried again", "url=http://dead.test:8080/", "503", most=900)
    full = socket.socket()
    full.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    full.bind(("127.0.0.1", 8070))
    full.listen(0)
    queued = []
    for _ in range(3):
        s = socket.socket()
        s.setblocking(False)
        s.connect_ex(("127.0.0.1", 8070))
        queued.append(s)
    says("a server that takes no connection", "url=http://one.test:8070/", "503", 290, 3000)


def disabled_part():
    Origin(8080)
    Origin(8444, cert="own")
    says("a name, when nobody is asked", "url=http://one.test:8080/", "503", most=900)
    says("one of /etc/hosts", "url=http://hosted.test:8080/", "200 127.0.0.1")
    check("nobody was asked", not names.asked)
    says("sockets are not verified, whatever servers are", "connect_ssl=127.0.0.1&8444", "200 127.0.0.1")
    says("HTTPClient verifies by the system's authorities", "url=https://hosted.test:8444/", "503", most=900)


def workers_part():
    origin = Origin(8080)
    until("workers answer", lambda: asks("url=http://one.test:8080/")[1].startswith("200"))
    before = service.workers()
    waiting = connect(front)
    waiting.sendall(b"GET /?url=http://silent.test:8080/ HTTP/1.1\r\nHost: x\r\n\r\n")
    os.kill(before[0], signal.SIGKILL)
    until("one that was killed is replaced", lambda: before[0] not in service.workers() and len(service.workers()) == 2)
    for _ in range(4):
        until("and names are looked up by those who serve", lambda: asks("url=http://one.test:8080/")[1].startswith("200"))
    hold = connect(front)
    hold.sendall(b"GET /?url=http://one.test:8080/silent&&1500 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    until("a request is under way", lambda: origin.open)
    old = service.workers()
    service.parent("reload")
    until("a reload has new workers", lambda: not set(service.workers()) & set(old) and len(service.workers()) == 2)
    until("which look names up", lambda: asks("url=http://one.test:8080/")[1].startswith("200"))
    check("the old one finishes its request", b" 504 " in read_all(hold))
    until("and goes", lambda: not service.old_workers())


for part in service.args.what.split(","):
    globals()[part + "_part"]()
for wait in later:
    wait()
finish()
