# SPDX-License-Identifier: BSD-2-Clause
"""What is counted in entries that sessions and streams follow, in many ways of following, by
exchanges that end in many ways.

track.py PROGRAM FOLDER [WORKERS]   prints a line for each way: what is not 0 in its table"""
import os
import socket
import subprocess
import sys
import threading
import time

from http1 import Reader, request
from origin import serve_each
from service import free_ports

COUNTS = ("conn_cnt conn_rate conn_cur sess_cnt sess_rate http_req_cnt http_req_rate http_err_cnt "
          "http_err_rate http_fail_cnt http_fail_rate").split()
ASKED = COUNTS + "get_gpc0 gpc0_rate get_gpc1 gpc1_rate get_gpt0".split()
STORE = ("gpt0,gpc0,gpc0_rate(1h),gpc1,gpc1_rate(1h),conn_cnt,conn_rate(1h),conn_cur,sess_cnt,"
         "sess_rate(1h),http_req_cnt,http_req_rate(1h),http_err_cnt,http_err_rate(1h),"
         "http_fail_cnt,http_fail_rate(1h)")
WAYS = {
    "connection": ["tcp-request connection track-sc0 src"],
    "session": ["tcp-request session track-sc0 src"],
    "content": ["tcp-request content track-sc0 src"],
    "http": ["http-request track-sc0 src"],
    "response": ["http-response track-sc0 src"],
    "both": ["tcp-request connection track-sc0 src", "http-request track-sc0 path table other"],
    "twice": ["http-request track-sc0 src", "http-request track-sc0 path table other"],
    "denied": ["tcp-request connection track-sc0 src", "http-request deny if { path /x }"],
    "denied2": ["http-request track-sc0 src", "http-request deny if { path /x }"],
    "auth": ["http-request track-sc0 src", "http-request auth if { path /x }"],
    "tarpit": ["http-request track-sc0 src", "http-request tarpit if { path /x }"],
    "returned": ["http-request track-sc0 src", "http-request return status 404 if { path /x }"],
    "reject": ["tcp-request connection track-sc0 src",
               "tcp-request connection reject if { sc0_conn_cnt gt 1 }"],
    "reject2": ["tcp-request connection track-sc0 src",
                "tcp-request session reject if { sc0_conn_cnt gt 1 }"],
    "counted": ["http-request track-sc0 src", "http-request sc-inc-gpc0(0)",
                "http-request sc-inc-gpc1(0) if { path /x }", "http-request sc-set-gpt0(0) 17"],
    "bare": ["http-request track-sc0 src", "http-request sc-inc-gpc0", "http-request sc-inc-gpc1()",
             "http-request sc-set-gpt0 7"],
    "tagged": ["http-request track-sc2 src", "http-request sc-set-gpt0(2) int(40),add(2)",
               "http-response sc-inc-gpc0(2)"],
    "fetched": ["http-request track-sc1 src",
                "http-request set-var(txn.a) sc1_inc_gpc0",
                "http-request set-var(txn.b) sc_inc_gpc1(1)",
                "http-request set-var(txn.c) src_updt_conn_cnt"],
    "cleared": ["http-request track-sc1 src", "http-request sc-inc-gpc0(1)",
                "http-request set-var(txn.a) sc1_clr_gpc0 if { path /x }"],
}


CONVERSATIONS = [
    [request("/"), request("/a"), request("/x")], [request("/404")], [request("/500"), request("/501")], [request("/505")],
    [b"GARBAGE\r\n\r\n"], [b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"], [request("/bad")], [request("/cut")],
    [request("/end")], [request("/slow")], [],
]


class Origin:
    """What the first three characters of a path say."""

    def __init__(self, port):
        serve_each(f"127.0.0.1:{port}", self.serve)


    def serve(self, s):
        reader = Reader(s)
        while (head := reader.head()) is not None:
            words = head.split()
            self.answer(s, words[1].decode()[1:4] if len(words) > 1 else "")

    @staticmethod
    def answer(s, what):
        if what == "bad":
            s.sendall(b"garbage\r\n\r\n")
            raise OSError
        if what == "cut":
            s.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello")
            raise OSError
        if what == "end":
            raise OSError
        if what == "slo":
            s.recv(65536)  # until the proxy has given up
            raise OSError
        status = what if what.isdigit() else "200"
        s.sendall(f"HTTP/1.1 {status} X\r\nContent-Length: 5\r\n\r\nhello".encode())


def configuration(ports, origin, asked, tcp, workers):
    lines = ["global", f" nbproc {workers}" if workers else " maxconn 1000",
             "defaults", " mode http", " timeout client 60s",
             " timeout server 1s", " timeout connect 60s", " timeout http-request 60s",
             " timeout tarpit 100ms", "backend other",
             f" stick-table type string len 16 size 100 store {STORE}",
             "backend late", " http-request track-sc1 src",
             f" stick-table type ip size 10 store {STORE}", f" server s 127.0.0.1:{origin}",
             "listen behind", f" bind 127.0.0.1:{ports['behind']}", " use_backend late"]
    for name, rules in WAYS.items():
        lines += [f"listen {name}", f" bind 127.0.0.1:{ports[name]}",
                  f" stick-table type ip size 10 expire 1h store {STORE}"]
        lines += [" " + rule for rule in rules] + [f" server s 127.0.0.1:{origin}"]
    lines += ["listen tcp", " mode tcp", f" bind 127.0.0.1:{tcp}",
              f" stick-table type ip size 10 expire 1h store {STORE}",
              " tcp-request content track-sc0 src", f" server s 127.0.0.1:{origin}",
              "frontend asked", f" bind 127.0.0.1:{asked}"]
    for name in list(WAYS) + ["tcp", "late"]:
        text = " ".join(f"{word}=%[src_{word}({name})]" for word in ASKED)
        lines.append(" http-request return status 200 content-type text/plain lf-string '" + text +
                     f"' if {{ path /{name} }}")
    lines.append(" http-request return status 200 content-type text/plain lf-string "
                 "'used=%[table_cnt(other)]' if { path /other }")
    return "\n".join(lines) + "\n"


def answer(s):
    """The body; None: the connection has ended."""
    got = Reader(s).message()
    return got and got[1]


def converse(port, requests):
    s = socket.socket()
    s.settimeout(60)
    try:
        s.connect(("127.0.0.1", port))
        for each in requests:
            s.sendall(each)
            if answer(s) is None:
                break
        s.shutdown(socket.SHUT_WR)
        while s.recv(65536):  # it has ended there, too
            pass
    except OSError:
        pass
    s.close()


def visit(port):
    """All conversations with one listener: the first by itself, since its connection is the
    first."""
    threads = [threading.Thread(target=converse, args=(port, requests)) for requests in CONVERSATIONS[1:]]
    converse(port, CONVERSATIONS[0])
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def state(port, name):
    s = socket.create_connection(("127.0.0.1", port), 60)
    s.sendall(request("/" + name))
    said = answer(s).decode()
    s.close()
    return " ".join(word for word in said.split() if not word.endswith("=0"))


def settled(port, name, wanted):
    """conn_cur falls when the last stream ends, a moment behind its connection."""
    for _ in range(6000):
        said = state(port, name)
        if wanted and f"conn_cur={wanted} " in said or not wanted and "conn_cur" not in said:
            break
        time.sleep(0.01)
    return said


def main():
    program, folder = sys.argv[1:3]
    workers = sys.argv[3] if len(sys.argv) > 3 else None
    numbers = free_ports(len(WAYS) + 4)
    ports = dict(zip(list(WAYS) + ["behind"], numbers))
    origin, asked, tcp = numbers[-3:]
    path = os.path.join(folder, "track.cfg")
    with open(path, "w") as f:
        f.write(configuration(ports, origin, asked, tcp, workers))
    Origin(origin)
    with open(os.path.join(folder, "track.log"), "w") as log:
        proxy = subprocess.Popen([program, "-db", "-f", path], stdout=log, stderr=log)
    while proxy.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", asked)).close()
            break
        except ConnectionError:
            time.sleep(0.02)
    try:
        visits = [threading.Thread(target=visit, args=(port,)) for port in [*ports.values(), tcp]]
        for thread in visits:
            thread.start()
        for thread in visits:
            thread.join()
        for name in [*WAYS, "tcp", "late"]:
            print(f"{name}: {settled(asked, name, 0)}")
        print(f"other: {state(asked, 'other')}")
        kept = [socket.create_connection(("127.0.0.1", ports[name]), 60)
                for name in ("connection", "session", "http") for _ in range(2)]
        for s in kept:
            s.sendall(request("/wait")[:-2])  # a head that is not complete
        for name in ("connection", "session"):
            print(f"open {name}: {settled(asked, name, 2)}")
        for s in kept:
            s.close()
        for name in ("connection", "session"):
            print(f"closed {name}: {settled(asked, name, 0)}")
    finally:
        proxy.terminate()
        proxy.wait()


main()
