# SPDX-License-Identifier: BSD-2-Clause
"""Called by follow.sh: follow.py PENSTOCK EXAMPLES FOLDER."""
import http.client
import http.server
import json
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.parse

import service
from http1 import reply
from origin import serve
from service import check, finish, until

PENSTOCK, EXAMPLES, FOLDER = sys.argv[1:4]
SOCK = FOLDER + "/follow.sock"


# ---- a Consul, as far as it is asked --------------------------------------------------------------


class Consul(http.server.ThreadingHTTPServer):
    def __init__(self, port=0):
        self.passing, self.index, self.changed = [], 7, threading.Condition()
        super().__init__(("127.0.0.1", port), Answers)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def set(self, *passing):
        with self.changed:
            self.passing, self.index = list(passing), self.index + 1
            self.changed.notify_all()


class Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qs(url.query, keep_blank_values=True)
        known = int(query["index"][0])
        if url.path != "/v1/health/service/web" or "passing" not in query:
            return self.send_error(404)
        with self.server.changed:
            while self.server.index <= known:
                self.server.changed.wait()
            # The address of an instance may be that of its node.
            body = json.dumps([{"Node": {"Address": a}, "Service": {"Address": "" if a.endswith("2") else a, "Port": p}}
                               for a, p in self.server.passing]).encode()
            index = self.server.index
        self.send_response(200)
        self.send_header("X-Consul-Index", str(index))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


# ---- instances, and who asks them -----------------------------------------------------------------


def get():
    c = http.client.HTTPConnection("192.0.2.36", 80, timeout=30)
    c.request("GET", "/")
    r = c.getresponse()
    answer = r.status, r.read().decode()
    c.close()
    return answer


class Load(threading.Thread):
    def __init__(self):
        super().__init__(daemon=True)
        self.bad, self.good, self.going = [], 0, True
        self.start()

    def run(self):
        while self.going:
            answer = get()
            self.good += answer[0] == 200
            if answer[0] != 200:
                self.bad.append(answer[0])
            time.sleep(0.005)


def served_by(count=24):
    answers = [get() for _ in range(count)]
    return {body for status, body in answers if status == 200}, {s for s, _ in answers}


def places(*numbers):
    return [(f"127.0.0.{n}", 8000) for n in numbers]


def names(*numbers):
    return {f"127.0.0.{n}" for n in numbers}, {200}


consul = Consul()
port = consul.server_address[1]
for n in range(1, 11):
    serve(f"127.0.0.{n}:8000", lambda _, name=f"127.0.0.{n}": reply(name))
env = dict(os.environ, STATS_SOCKET=SOCK)
log = open(FOLDER + "/follow.log", "wb")
PARENT = FOLDER + "/parent.sock"
penstock = subprocess.Popen([PENSTOCK, "-db", "-W", "-S", PARENT, "-f", EXAMPLES + "/servers-follow.cfg"], env=env, stdout=log, stderr=log)
until("it starts", lambda: os.path.exists(SOCK) and get()[0])
check("without servers there is no service", get()[0] == 503)
said = open(FOLDER + "/follow.said", "wb")
source = subprocess.Popen([sys.executable, EXAMPLES + "/consul-source", f"http://127.0.0.1:{port}", "web"],
                          stdout=subprocess.PIPE, stderr=said)
follow = subprocess.Popen([sys.executable, EXAMPLES + "/servers-follow", SOCK, "app"], stdin=source.stdout, stderr=said)
try:
    consul.set(*places(1, 2))
    until("two instances serve", lambda: served_by() == names(1, 2))
    load = Load()
    consul.set(*places(1, 2, 3, 4))
    until("two more come", lambda: served_by() == names(1, 2, 3, 4))
    consul.set(*places(2, 4, 5))
    until("some go, and one comes", lambda: served_by() == names(2, 4, 5))
    consul.set(*places(6, 7, 8))
    until("all are others", lambda: served_by() == names(6, 7, 8))
    consul.set(*places(*range(1, 11)))
    until("there are eight slots", lambda: len(served_by(80)[0]) == 8 and
          b"no slot is left for 127.0.0." in open(FOLDER + "/follow.said", "rb").read())
    consul.set(*places(1, 6))
    until("two stay", lambda: served_by() == names(1, 6))

    with socket.socket(socket.AF_UNIX) as s:
        s.connect(PARENT)
        s.sendall(b"reload\n")
        check("a reload", b"Success=1" in s.recv(1000))
    check("leaves slots as they are", served_by() == names(1, 6))

    consul.shutdown()
    consul.server_close()
    with consul.changed:
        consul.index += 1
        consul.changed.notify_all()
    until("Consul is away, which is said", lambda: b"consul-source: " in open(FOLDER + "/follow.said", "rb").read())
    check("what is known stays", served_by() == names(1, 6))
    consul = Consul(port)
    consul.set(*places(6, 9))
    until("it is back, with other news", lambda: served_by() == names(6, 9))
    load.going = False
    load.join()
    check(f"of {load.good + len(load.bad)} requests meanwhile none failed {load.bad}", not load.bad and load.good > 100)
finally:
    for process in source, follow, penstock:
        process.terminate()
        process.wait()
text = open(FOLDER + "/follow.log", errors="replace").read()
check("no report of a sanitizer", "Sanitizer" not in text and "runtime error" not in text)
if service.failures:
    print(open(FOLDER + "/follow.said", errors="replace").read())
finish()
