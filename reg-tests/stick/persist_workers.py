# SPDX-License-Identifier: BSD-2-Clause
"""Two workers, a reload, clients of HTTP/1, HTTP/2 and bytes: see persist_workers.sh."""

import os
import re
import signal
import sys

from frames import Client, request
from http1 import Reader, reply
from origin import serve_each
from service import Service, check, connect, finish, read_all, until

service = Service("h2", "bytes", "servers")


def serve(name, where):
    """Says its name; sets the cookie that the query asks for. Bytes: its name, and they end."""
    def one(s):
        r = Reader(s)
        while b"\r\n\r\n" not in r.held and r.more():
            if not r.held.startswith(b"GET"):
                s.sendall(name.encode())
                return
        cookie = re.search(rb"set=([^ &]*)", r.held)
        fields = [f"Set-Cookie: SID={cookie[1].decode()}"] if cookie else []
        s.sendall(reply(name, *fields, close=True))
    serve_each(where, one)


def get(path="/", **fields):
    return service.fetch(path, *(f"{k.replace('_', '-')}: {v}" for k, v in fields.items())).text


def get_h2(key):
    client = Client(service.args.h2)
    stream = client.open(request(extra=(("x-key", key),)))
    client.ends(stream)
    body = client.body(stream).decode()
    client.close()
    return body


def send(data):
    with connect(service.args.bytes) as s:
        s.sendall(data)
        return read_all(s).decode()


def served_by():
    """How many streams each worker has taken, by pid."""
    return [int(service.info("show info", lambda c, n=n: service.worker(n, c))["CumReq"]) for n in (1, 2)]


def table(name, through=service.ask):
    """server_id and server_key of each key."""
    rows = re.findall(r"key=(\S*) .*server_id=(\d+) server_key=(\S+)", through("show table " + name))
    return {key: (int(number), server) for key, number, server in rows}


for name, where in zip(("s1", "s2", "s3"), service.args.servers.split(",")):
    serve(name, where)

# Many keys, so that both workers learn and find some.
keys = [f"key{i}-{'x' * (i % 7 * 40)}" for i in range(60)]
first = {key: get(x_key=key) for key in keys}
check("three servers", set(first.values()) == {"s1", "s2", "s3"})
check("each key goes where it went", all(get(x_key=key) == first[key] for _ in range(3) for key in keys))
before = served_by()
check("both workers serve", until("requests of both", lambda: (
    [get(x_key=key) == first[key] or sys.exit("another server") for key in keys],
    all(a > b for a, b in zip(served_by(), before)))[1]))
whole = table("app")
check("the table has all of them, with their servers", len(whole) == 60 and all(
    whole[k] == (int(first[k][1]), first[k]) for k in keys))
check("each worker shows the same", table("app", lambda c: service.worker(1, c)) == whole ==
      table("app", lambda c: service.worker(2, c)))

check("clients of HTTP/2", all(get_h2(key) == first[key] for key in keys[:20]))
new = {f"two{i}": get_h2(f"two{i}") for i in range(12)}
check("what they taught holds for HTTP/1", all(get(x_key=k) == v for k, v in new.items()) and len(set(new.values())) > 1)

learnt = {f"c{i}": get(f"/?set=c{i}") for i in range(12)}
check("cookies of the application", len(set(learnt.values())) > 1 and all(
    get(Cookie=f"a=b; SID={k}") == v for _ in range(3) for k, v in learnt.items()))

numbers = {i: get(x_backend="numbers", x_number=i) for i in range(10)}
check("numbers, in a backend named at run time", set(numbers.values()) == {"s1", "s2"} and all(
    get(x_backend="numbers", x_number=i) == v for _ in range(3) for i, v in numbers.items()))
words = {b"\x02a%d" % i + b"--": send(b"\x02a%d" % i + b"--") for i in range(8)}
check("bytes", set(words.values()) == {"s1", "s2"} and all(send(k) == v for _ in range(3) for k, v in words.items()))
check("binary keys are filled up", sorted(table("bytes")) == sorted("61%02X0000" % (48 + i) for i in range(8)))

full = [get(x_backend="full", x_number=i) for i in (1, 2)]
check("a full table keeps what it has", len([get(x_backend="full", x_number=i) for i in range(3, 20)]) == 17 and
      sorted(table("full")) == ["1", "2"] and [get(x_backend="full", x_number=i) for i in (1, 2)] == full)

# A worker dies; the other one has the table, and so has the one that comes for it.
victim = service.workers()[0]
os.kill(victim, signal.SIGKILL)
until("a new worker", lambda: len(service.workers()) == 2 and victim not in service.workers())
check("the keys are still there", table("app") == {**whole, **table("app")} and all(
    get(x_key=key) == first[key] for key in keys))

# The servers stand in another order, with other numbers, and one has gone.
with open(service.cfg) as f:
    text = f.read()
servers = re.findall(r"\tserver s\d \S+ stick\n", text)
with open(service.cfg, "w") as f:
    f.write(text.replace("".join(servers), servers[2] + servers[1]))
old = service.workers()
check("reloads", "Success=1" in service.parent("reload"))
until("new workers", lambda: not set(service.workers()) & set(old) and len(service.workers()) == 2)
kept = [k for k in keys if first[k] != "s1"]
check("names decide: each key goes where it went", all(get(x_key=k) == first[k] for _ in range(2) for k in kept))
check("whose server has gone goes to the one that has its number",
      all(get(x_key=k) == "s3" for k in keys if first[k] == "s1"))
check("entries have the new numbers", all(table("app")[k] == ({"s3": 1, "s2": 2}[first[k]], first[k]) for k in kept))
finish()
