# SPDX-License-Identifier: BSD-2-Clause
"""The scripts examples/lua/ do what each one promises; the name of one is the fourth argument, the
number of workers the fifth (0: the program is HAProxy). See examples_lib.py."""
import base64
import contextlib
import hashlib
import hmac
import json
import os
import socket
import socketserver
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
import examples_lib
from examples_lib import EXAMPLES, PROGRAM, WORK, ask, check, cli, run, until

NAME, WORKERS = sys.argv[4], int(sys.argv[5])
FOLDER = "/etc/penstock/lua"  # in the examples
MANY = 20  # connections: each worker is met


class Server(socketserver.ThreadingTCPServer):
    """Calls `answer(method, target, fields, body)` for each request: status, fields, body."""
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 200

    def __init__(self, address, answer):
        self.answer, self.connections = answer, set()
        super().__init__(address, Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        """Connections break off."""

    def stop(self):
        self.shutdown()
        self.server_close()
        for connection in list(self.connections):
            with contextlib.suppress(OSError):  # its peer was faster
                connection.shutdown(socket.SHUT_RDWR)


class Handler(socketserver.StreamRequestHandler):
    def setup(self):
        super().setup()
        self.server.connections.add(self.connection)

    def finish(self):
        self.server.connections.discard(self.connection)
        super().finish()

    def handle(self):
        while line := self.rfile.readline():
            method, target, _ = line.decode().split(" ", 2)
            fields = {}
            while (line := self.rfile.readline()).strip():
                name, value = line.decode("latin-1").split(":", 1)
                fields[name.lower()] = value.strip()
            body = self.rfile.read(int(fields.get("content-length", 0)))
            status, more, answer = self.server.answer(method, target, fields, body)
            head = f"HTTP/1.1 {status} X\r\nContent-Length: {len(answer)}\r\n"
            head += "".join(f"{name}: {value}\r\n" for name, value in more.items())
            self.wfile.write(head.encode() + b"\r\n" + (b"" if method == "HEAD" else answer))


def echo(name):
    """A site: says who it is, and all that it was sent."""
    def answer(method, target, fields, body):
        said = {"name": name, "method": method, "target": target, "fields": fields, "body": body.decode()}
        return 200, {"Content-Type": "application/json"}, json.dumps(said).encode()
    return answer


class Example(examples_lib.Example):
    """A copy of the example, in the folder that its files name; what it says of times and places is
    changed by `changes'."""
    changes = {}
    answers = {}  # of servers, by their names

    def __init__(self, name):
        super().__init__(name)
        self.path = f"{WORK}/lua/{name}.cfg"
        os.makedirs(WORK + "/lua")
        for file in os.listdir(EXAMPLES):
            with open(f"{EXAMPLES}/{file}") as f:
                text = f.read().replace(FOLDER, WORK + "/lua").replace("/tmp/penstock-", WORK + "/")
            for old, new in self.changes.items():
                text = text.replace(old, new)
            with open(f"{WORK}/lua/{file}", "w") as f:
                f.write(text)
        os.chmod(WORK + "/lua/acme-hook", 0o755)

    def knows(self, words):
        """Does the program take these words of the global section?"""
        with open(WORK + "/words.cfg", "w") as f:
            f.write("global\n" + "".join(f"\t{line}\n" for line in words))
        return subprocess.run([PROGRAM, "-c", "-f", WORK + "/words.cfg"], check=False,
                              capture_output=True).returncode != 1

    def origin(self, address, name):
        return Server(address, self.answers.get(name, echo(name)))

    def start(self):
        if WORKERS:
            with open(WORK + "/stats.cfg", "a") as f:
                f.write(f"global\n\tnbproc {WORKERS}\n")
        self.log = open(WORK + "/log", "wb")
        self.process = subprocess.Popen([PROGRAM, "-db", "-f", self.path, "-f", WORK + "/stats.cfg"],
                                        stdout=self.log, stderr=self.log)
        return until(f"{self.name} starts", lambda: "Pid" in cli("show info"))


def site(at, path="/", **more):
    """The status; what the site was sent, if it was."""
    status, fields, body = ask(at, path, **more)
    return status, json.loads(body) if fields.get("content-type") == "application/json" else None


def command(words, name):
    """To the socket of the example itself."""
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(f"{WORK}/{name}.sock")
        s.sendall(words.encode() + b"\n")
        said = b""
        while data := s.recv(65536):
            said += data
    return said.decode().strip()


def log():
    with open(WORK + "/log", errors="replace") as f:
        return f.read()


# ---- auth-request ----


CONNECTING = ["httpclient.timeout.connect 1s", "httpclient.retries 0"]
slow = threading.Event()  # let slow questions go
asked = []


def authority(method, target, fields, body):
    if target == "/health":
        return 200, {}, b""
    asked.append(fields)
    who = fields.get("authorization", "")
    if who == "slow":
        slow.wait(30)
    if who == "ill":
        return 500, {}, b""
    if who.startswith("user"):
        return 204, {"X-Auth-User": who, "X-Auth-Groups": "staff", "X-Other": "x"}, b""
    return (403, {}, b"") if who else (401, {"WWW-Authenticate": 'Basic realm="house"'}, b"")


def took(function):
    begin = time.monotonic()
    result = function()
    return result, time.monotonic() - begin


def auth_request(example):
    at = "192.0.2.50"
    user = lambda who, **more: {"headers": {"Authorization": who, **more}}
    status, got = site(at, "/a?b=c", **user("user1", **{"X-Auth-User": "root", "X-Auth-Admin": "yes", "Cookie": "a=b"}))
    fields = got["fields"]
    check("who may, passes", status == 200)
    check("the site learns who it is, by the authority alone", (fields.get("x-auth-user"), fields.get("x-auth-groups"),
          fields.get("x-auth-admin"), fields.get("x-other")) == ("user1", "staff", None, None))
    question = asked[-1]
    check("the authority is told what is asked for", (question["x-original-url"], question["x-original-method"],
          question["cookie"], question["x-forwarded-for"]) == ("/a?b=c", "GET", "a=b", "192.0.2.50"))
    status, fields, body = ask(at)
    check("who says nothing is asked for it", (status, fields["www-authenticate"]) == (401, 'Basic realm="house"'))
    check("who may not, does not", ask(at, **user("evil"))[0] == 403)
    count = len(asked)
    check("what is public is not asked for", site(at, "/public/x")[0] == 200 and len(asked) == count)
    check("workers agree", {ask(at, **user("user2"))[0] for _ in range(MANY)} == {200} and
          {ask(at, **user("evil"))[0] for _ in range(MANY)} == {403})
    check("a body passes", site(at, "/", method="POST", body="x" * 5000, **user("user1"))[1]["body"] == "x" * 5000)

    most = 3 if WORKERS else 8  # HAProxy asks four times
    connects = most if example.knows(CONNECTING) else 30
    status, seconds = took(lambda: ask(at, **user("slow"))[0])
    check(f"a slow authority keeps nobody longer than a second ({seconds:.1f} s)", status == 503 and 0.9 < seconds < most)
    (status, got), seconds = took(lambda: site(at, "/news/", **user("slow")))
    check(f"where the policy is open, the request passes then ({seconds:.1f} s)",
          status == 200 and got["fields"]["x-auth-status"] == "nobody was asked" and 0.9 < seconds < most)
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(ask(at, **user("slow"))[0])) for _ in range(30)]
    begin = time.monotonic()
    for t in threads:
        t.start()
    status, seconds = took(lambda: ask(at, **user("user3"))[0])
    check(f"others are served meanwhile ({seconds:.2f} s)", status == 200 and seconds < 1)
    for t in threads:
        t.join()
    check(f"thirty wait together ({time.monotonic() - begin:.1f} s)", answers == [503] * 30 and time.monotonic() - begin < most + 2)
    slow.set()
    check("an error of the authority is no answer", ask(at, **user("ill"))[0] == 503 and
          ask(at, "/news/", **user("ill"))[0] == 200)

    address = example.origins["authority1"].server_address
    example.origins["authority1"].stop()
    status, seconds = took(lambda: ask(at, **user("user1"))[0])
    check(f"a dead authority keeps nobody ({seconds:.1f} s)", status == 503 and seconds < 8)
    check("and the policy holds", ask(at, "/news/", **user("user1"))[0] == 200)
    example.origins["authority1"] = Server(address, authority)
    until("a living one is asked again", lambda: ask(at, **user("user1"))[0] == 200)

    # One that takes no connection: neither yes nor no.
    example.origins["authority1"].stop()
    deaf = socket.socket()
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    deaf.bind(address)
    deaf.listen(0)
    fill = []
    for _ in range(4):
        fill.append(socket.socket())
        fill[-1].setblocking(False)
        fill[-1].connect_ex(address)
    cli("set server authority/authority1 health up")
    status, seconds = took(lambda: ask(at, **user("user1"))[0])
    check(f"one that takes no connection keeps nobody ({seconds:.1f} s)", status == 503 and
          seconds < connects)
    until("it is found to be down", lambda: "DOWN" in
          [s["status"][:4] for s in examples_lib.servers() if s["svname"] == "authority1"])
    statuses, seconds = took(lambda: [ask(at, **user("user1"))[0] for _ in range(MANY)])
    check(f"then it costs no time ({seconds:.1f} s)", statuses == [503] * MANY and seconds < 2)
    for s in (deaf, *fill):
        s.close()
    example.origins["authority1"] = Server(address, authority)


# ---- cors ----


def cors_api(method, target, fields, body):
    return 200, {"Access-Control-Allow-Origin": "*", "Vary": "accept-encoding"}, method.encode()


def cors(_):
    at, good, bad = "192.0.2.51", "https://app.example.org", "https://evil.example"

    def fields(origin, method="GET", **more):
        headers = {"Origin": origin, **more} if origin else more
        status, got, body = ask(at, method=method, headers=headers)
        allow = {name.removeprefix("access-control-"): value for name, value in got.items() if
                 name.startswith("access-control-")}
        return status, allow, got.get("vary", ""), body

    ask_first = {"Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "content-type"}
    status, allow, vary, body = fields(good, "OPTIONS", **ask_first)
    check("a preflight is answered, without the server", (status, body) == (204, ""))
    check("with all that a browser wants", allow == {
        "allow-origin": good, "allow-credentials": "true", "max-age": "600",
        "allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
        "allow-headers": "authorization, content-type, x-requested-with"})
    check("caches know on what it depends", all(word in vary for word in (
        "origin", "access-control-request-method", "access-control-request-headers")))
    status, allow, vary, _ = fields(bad, "OPTIONS", **ask_first)
    check("others get no leave", (status, allow) == (403, {}) and "origin" in vary)
    status, allow, _, body = fields(good, "OPTIONS")
    check("OPTIONS of another kind is the server's", (status, body) == (200, "OPTIONS"))
    status, allow, vary, body = fields(good)
    check("an answer may be read, with cookies", (status, allow, body) == (200, {
        "allow-origin": good, "allow-credentials": "true", "expose-headers": "x-request-id"}, "GET"))
    for origin in (bad, None):
        status, allow, vary, _ = fields(origin)
        check(f"the server's own word does not count ({origin})", (status, allow) == (200, {}) and "origin" in vary)
    check("workers agree", {fields(good, "OPTIONS", **ask_first)[0] for _ in range(MANY)} == {204})


# ---- jwt ----


def b64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def token(key, kid, alg="HS256", **claims):
    head, payload = ({"alg": alg, "typ": "JWT", "kid": kid}, {"sub": "anna", "exp": int(time.time()) + 600, **claims})
    text = ".".join(b64url(json.dumps(part).encode()) for part in (head, payload))
    return text + "." + b64url(hmac.new(key, text.encode(), hashlib.sha256).digest())


key_set = {"one": os.urandom(32).replace(b"\0", b"0"),
           "two": bytes(range(0 if WORKERS else 1, 32))}  # HAProxy's end at a zero
key_status = 200


def key_server(method, target, fields, body):
    keys = [{"kty": "oct", "kid": kid, "k": b64url(k), "alg": "HS256"} for kid, k in key_set.items()]
    keys.append({"kty": "RSA", "kid": "rsa", "n": "x", "e": "AQAB"})
    return key_status, {}, json.dumps({"keys": keys}).encode()


def jwt(_):
    global key_status
    at = "192.0.2.52"
    get = lambda t, **more: site(at, headers={"Authorization": "Bearer " + t, **more})
    everywhere = lambda t, status: all(get(t)[0] == status for _ in range(MANY))
    good = token(key_set["one"], "one")
    until("the keys are there", lambda: everywhere(good, 200))
    status, got = get(good, **{"X-User": "root"})
    check("the site is told who it is", (status, got["fields"]["x-user"], got["fields"].get("authorization")) ==
          (200, "anna", None))
    check("a key of any bytes", get(token(key_set["two"], "two"))[0] == 200)
    check("no token", ask(at)[0] == 401)
    for what, bad in {
        "another key": token(b"x" * 32, "one"), "a key of another name": token(key_set["one"], "two"),
        "no such key": token(key_set["one"], "three"), "a public key's name": token(key_set["one"], "rsa"),
        "no signature": good.rsplit(".", 1)[0] + ".", "another algorithm": token(key_set["one"], "one", "HS512"),
        "none": token(key_set["one"], "one", "none").rsplit(".", 1)[0] + ".",
        "changed": good.replace(".", ".e", 1), "old": token(key_set["one"], "one", exp=int(time.time()) - 10),
        "without an end": token(key_set["one"], "one", exp=None), "no token at all": "x",
    }.items():
        check("refused: " + what, everywhere(bad, 401))
    key_set["three"] = os.urandom(64).replace(b"\0", b"0")
    until("a new key is good, in all workers", lambda: everywhere(token(key_set["three"], "three"), 200))
    old = key_set.pop("one")
    until("one that was given up is not", lambda: everywhere(token(old, "one"), 401))
    key_status = 500
    until("an authority that fails is told of", lambda: "keys of tokens are as they were" in log())
    check("and changes nothing", everywhere(token(key_set["two"], "two"), 200))
    key_status = 200
    key_set["four"] = os.urandom(64).replace(b"\0", b"0")
    until("it is asked again", lambda: everywhere(token(key_set["four"], "four"), 200))


# ---- sign ----


SECRET = b"correct horse battery staple"


def signed(method, target, host, date, body, secret=SECRET):
    text = "\n".join((method, target, host, date, hashlib.sha256(body).hexdigest()))
    return hmac.new(secret, text.encode(), hashlib.sha256).hexdigest()


def sign(_):
    def sent(method, target, body):
        status, got = site("192.0.2.53", target, method=method, headers={"Host": "h.example", "X-Key": "mine"}, body=body)
        fields = got["fields"]
        return status == 200 and fields["x-key"] == "house" and abs(int(fields["x-date"]) - time.time()) < 30 and \
            fields["x-signature"] == signed(method, target, "h.example", fields["x-date"], body.encode())
    check("a request is signed", sent("GET", "/a/b?c=d%20e", ""))
    check("its body as well", sent("POST", "/", "line\r\n\0 and more" * 100))
    check("workers agree", all(sent("PUT", f"/{n}", str(n)) for n in range(MANY)))
    check("what is too large is not sent", ask("192.0.2.53", method="POST", body="x" * 40000)[0] == 413)

    def come(change=None, age=0, secret=SECRET, body=b"body", **other):
        date = str(int(time.time()) - age)
        headers = {"Host": "in.example", "X-Key": "house", "X-Date": date,
                   "X-Signature": signed("POST", "/x?y=z", "in.example", date, body, secret)}
        for name in change or {}:
            headers[name] = change[name]
        status, fields, _ = ask("192.0.2.54", other.get("path", "/x?y=z"), method=other.get("method", "POST"),
                                headers=headers, body=other.get("sent", body))
        return status, fields.get("x-signature-is")
    check("who signs comes in", all(come() == (200, None) for _ in range(MANY)))
    check("another secret", come(secret=b"x") == (401, "wrong"))
    check("another body", come(sent=b"bodz") == (401, "wrong"))
    check("another target", come(path="/x?y=a") == (401, "wrong"))
    check("another method", come(method="PUT") == (401, "wrong"))
    check("another host", come({"Host": "other"}) == (401, "wrong"))
    check("another time", come({"X-Date": str(int(time.time()) - 5)}) == (401, "wrong"))
    check("an old one", come(age=400) == (401, "of another time"))
    check("one of tomorrow", come(age=-400) == (401, "of another time"))
    check("no time", come({"X-Date": "now"}) == (401, "of another time"))
    check("no signature", come({"X-Signature": ""}) == (401, "unsigned"))
    check("another key's name", come({"X-Key": "x"}) == (401, "unsigned"))
    check("a signature cut off", come({"X-Signature": "0"}) == (401, "wrong"))
    check("no request at all", ask("192.0.2.54")[0] == 401)


# ---- maintenance ----


def maintenance(_):
    at = "192.0.2.55"
    host = lambda name: ask(at, headers={"Host": name})
    say = lambda words: command("maintenance " + words, "maintenance")
    check("sites are served", host("www.example.org")[0] == 200)
    check("one is taken off", say("on www.Example.org new disks") == "www.example.org is off")
    until("by all workers", lambda: {host("www.example.org")[0] for _ in range(MANY)} == {503})
    status, fields, body = host("WWW.example.org:80")
    check("its clients learn why", (status, fields["retry-after"], body.strip()) ==
          (503, "60", "We will be back soon: new disks"))
    check("others are served", host("shop.example.org")[0] == 200)
    check("an operator sees it", say("show www.example.org") == "www.example.org is off: new disks")
    check("and what is served", say("show shop.example.org") == "shop.example.org is served")
    check("it comes back", say("off www.example.org") == "www.example.org is back")
    until("in all workers", lambda: {host("www.example.org")[0] for _ in range(MANY)} == {200})
    check("a word too few", say("on").startswith("Which site?"))
    check("a word that is none", say("on a/b").startswith("Which site?"))
    say("on a.example")
    until("a reason is not needed", lambda: "maintenance" in host("a.example")[2])
    check("help knows it", "maintenance on" in command("help maintenance", "maintenance"))


# ---- balance ----


def balance(example):
    at = "192.0.2.56"
    post = lambda body: site(at, method="POST", body=body)[1]["name"]
    where = {n: post(json.dumps({"x": 1, "customer": f"c{n}"})) for n in range(60)}
    counts = sorted(list(where.values()).count(name) for name in set(where.values()))
    check(f"customers are spread over all servers: {counts}", len(counts) == 3 and counts[0] >= 8)
    check("a customer stays", all(post(json.dumps({"customer": f"c{n}"})) == where[n] for n in range(60)))
    check("numbers are customers as well", len({post('{"customer": 17}') for _ in range(6)}) == 1)
    check("without one, servers take turns", len({post("{}") for _ in range(MANY)}) == 3)
    check("so they do for a GET", len({site(at)[1]["name"] for _ in range(MANY)}) == 3)
    lost = example.origins.pop("api2")
    address = lost.server_address
    lost.stop()
    until("a server goes down", lambda: [s["status"] for s in examples_lib.servers() if s["svname"] == "api2"] == ["DOWN"])
    until("its customers move", lambda: all(post(f'{{"customer": "c{n}"}}') != "api2" for n in range(10)))
    time_of_move = {n: post(f'{{"customer": "c{n}"}}') for n in range(60)}
    check("only its own", all(time_of_move[n] == where[n] for n in range(60) if where[n] != "api2"))
    check("to both others", len({time_of_move[n] for n in range(60) if where[n] == "api2"}) == 2)
    example.origins["api2"] = Server(address, echo("api2"))
    until("it comes back, and they do", lambda: all(post(f'{{"customer": "c{n}"}}') == where[n] for n in range(60)))


# ---- redirects ----


def put_redirects(text):
    """As an editor does it: the file is whole at any moment."""
    with open(WORK + "/lua/new", "w") as f:
        f.write(text)
    os.rename(WORK + "/lua/new", WORK + "/lua/redirects.json")


def redirects(_):
    at = "192.0.2.57"

    def to(path):
        status, fields, _ = ask(at, path)
        return fields["location"] if status == 301 else status
    everywhere = lambda path, wanted: all(to(path) == wanted for _ in range(MANY))
    until("the file is read", lambda: everywhere("/shop/old", "https://shop.example.org/"))
    check("with its query", to("/shop/old?x") == "https://shop.example.org/")
    check("others are served", to("/shop") == 200)
    put_redirects('{"/start": "/b", "/new": "/c"}')
    until("a change is seen, by all workers", lambda: everywhere("/start", "/b"))
    until("so is what is new", lambda: everywhere("/new", "/c"))
    until("what is gone is served", lambda: everywhere("/shop/old", 200))
    for what, text in {"a file that is broken": '{"/start": "/x", ', "a list": '["/start"]',
                       "a value that is no text": '{"/start": "/y", "/z": 1}', "a name": '{"start": "/y"}',
                       "a line end": '{"/start": "/y\\r\\nx"}', "nothing": ""}.items():
        count = log().count("redirects are as they were")
        put_redirects(text)
        until(what + " is told", lambda: log().count("redirects are as they were") > count)
        check(what + " changes nothing", everywhere("/start", "/b"))
    os.remove(WORK + "/lua/redirects.json")
    until("so it is without the file", lambda: "No such file" in log())
    check("which changes nothing either", everywhere("/start", "/b"))
    put_redirects('{"/start": "/d"}')
    until("a file is read again", lambda: everywhere("/start", "/d") and everywhere("/new", 200))
    if WORKERS > 1:  # the task is another worker's then; it still knows what the first one has put there
        pids = subprocess.run(["pgrep", "-P", str(_.process.pid)], capture_output=True, text=True,
                              check=True).stdout.split()
        for pid in pids:
            os.kill(int(pid), 9)
            until("a worker is replaced", lambda: pid not in subprocess.run(
                ["pgrep", "-P", str(_.process.pid)], capture_output=True, text=True, check=True).stdout.split())
        put_redirects('{"/other": "/e"}')
        until("a new worker takes over", lambda: everywhere("/other", "/e") and everywhere("/start", 200))


# ---- token-bucket ----


def flood(at, source, seconds, connections):
    """Requests on so many connections; how many passed."""
    passed, end = [], time.monotonic() + seconds

    def one():
        request = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
        with socket.create_connection((at, 80), 30, (source, 0)) as s, s.makefile("rb") as f:
            while time.monotonic() < end:
                s.sendall(request)
                status, length = f.readline().split()[1], 0
                while line := f.readline().strip():
                    if line.lower().startswith(b"content-length:"):
                        length = int(line[15:])
                f.read(length)
                passed.append(status == b"200")
    threads = [threading.Thread(target=one) for _ in range(connections)]
    begin = time.monotonic()
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return passed.count(True), len(passed), time.monotonic() - begin


def token_bucket(_):
    at, a, b, c = "192.0.2.58", "192.0.2.101", "192.0.2.102", "192.0.2.103"
    begin = time.monotonic()
    got = [ask(at, source=a) for _ in range(30)]
    seconds = time.monotonic() - begin
    passed = [status for status, _, _ in got].count(200)
    check(f"a burst of 20, and {passed - 20} more in {seconds:.1f} s", got[19][0] == 200 and
          20 <= passed <= min(30, 21 + 5 * seconds))
    check("each is told what is left", got[0][1]["x-tokens"] == "19")
    check("who is refused learns when to come", all(f.get("retry-after") == "1" for s, f, _ in got if s == 429))
    check("another client has its own", ask(at, source=b)[1]["x-tokens"] == "19")
    passed, asked_for, seconds = flood(at, c, 6, 8)
    check(f"of a flood of {asked_for} requests in {seconds:.1f} s {passed} pass: all workers share one bucket",
          asked_for > 2 * passed and 20 + 5 * (seconds - 1.5) <= passed <= 20 + 5 * seconds + max(WORKERS, 1) + 1)
    until("the bucket fills again", lambda: time.sleep(1) or ask(at, source=c)[0] == 200)
    deadline = time.monotonic() + 6
    while time.monotonic() < deadline:
        time.sleep(0.1)
    status, fields, _ = ask(at, source=c)
    check("but not beyond its size", status == 200 and int(fields["x-tokens"]) == 19)
    passed, asked_for, seconds = flood(at, c, 3, 8)
    check(f"then again: {passed} in {seconds:.1f} s", 19 + 5 * (seconds - 1.5) <= passed <=
          19 + 5 * seconds + max(WORKERS, 1) + 1)


# ---- acme ----


def acme(_):
    at = "192.0.2.59"
    token_name, answer = "LoqXcYV8q5ONbJQxbmR7SCTNo3tiAXDfowyjxAjEuX0", "LoqXcYV8q5ONbJQxbmR7SCTNo3tiAXDfowyjxAjEuX0.9jg46WB3rR"
    get = lambda name=token_name: ask(at, "/.well-known/acme-challenge/" + name)

    def hook(what):
        return subprocess.run([WORK + "/lua/acme-hook", what], check=False, capture_output=True, env={
            **os.environ, "PENSTOCK_SOCKET": WORK + "/acme.sock", "CERTBOT_TOKEN": token_name,
            "CERTBOT_VALIDATION": answer}).returncode
    check("no token", get()[0] == 404)
    have_socat = subprocess.run(["sh", "-c", "command -v socat"], check=False, capture_output=True).returncode == 0
    check("certbot's hook adds one", hook("add") == 0 if have_socat else
          command(f"acme add {token_name} {answer}", "acme") == "added")
    until("all workers answer for it", lambda: {get()[0] for _ in range(MANY)} == {200})
    status, fields, body = get()
    check("as the authority wants it", (status, body, fields["content-type"]) == (200, answer, "application/octet-stream"))
    check("HEAD has no body", ask(at, "/.well-known/acme-challenge/" + token_name, "HEAD")[0::2] == (200, ""))
    check("other tokens are not there", get("x")[0] == 404 and get("a/../" + token_name)[0] == 404 and get("")[0] == 404)
    check("all else goes to HTTPS", ask(at, "/x", headers={"Host": "a.example"})[1]["location"] == "https://a.example/x")
    check("the hook takes it away", hook("del") == 0 if have_socat else
          command(f"acme del {token_name}", "acme") == "deleted")
    until("everywhere", lambda: {get()[0] for _ in range(MANY)} == {404})
    check("what is no token is refused", command("acme add x", "acme").startswith("No token") and
          command("acme add a/b c.d", "acme").startswith("No token") and
          command("acme add a <b>", "acme").startswith("No token"))


JUDGES = {"auth-request": (auth_request, {"authority1": authority}, {}),
          "cors": (cors, {"api1": cors_api}, {}),
          "jwt": (jwt, {}, {"REFRESH_S = 60": "REFRESH_S = 1"}),
          "sign": (sign, {}, {}), "maintenance": (maintenance, {}, {}), "balance": (balance, {}, {}),
          "redirects": (redirects, {}, {"PAUSE_S = 2": "PAUSE_S = 1"}),
          "token-bucket": (token_bucket, {}, {}), "acme": (acme, {}, {})}
judge, Example.answers, Example.changes = JUDGES[NAME]


class Started(Example):
    def start(self):
        if NAME == "auth-request" and self.knows(CONNECTING):
            with open(WORK + "/stats.cfg", "a") as f:
                f.write("global\n" + "".join(f"\t{line}\n" for line in CONNECTING))
        if NAME == "jwt":
            self.keys = Server(("10.0.8.5", 8080), key_server)
        self.started = True
        global running
        running = self
        return super().start()


running = None
run("", [(NAME, lambda: judge(running))], Started)
