# SPDX-License-Identifier: BSD-2-Clause
"""Bytes in stick tables while they flow (along.sh)."""
import re
import threading

from origin import serve_each
from service import Service, check, connect, finish, until


def options(parser):
	for name in "http", "h2", "plain":
		parser.add_argument("--" + name)


service = Service(options)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"
held = []


def begin(s):
	"""Begins a response and never ends it."""
	held.append(s)
	s.recv(65536)
	s.sendall(HEAD + b"x" * 2000)
	threading.Event().wait()


def stored(table):
	"""What its one entry stores."""
	return {name: int(n) for name, n in
		re.findall(r" (bytes_\w+)(?:\(\d+\))?=(\d+)", service.ask(f"show table {table}"))}


def sends(where, what, expected):
	s = connect(where)
	s.sendall(what)
	got = b""
	while expected not in got:
		got += s.recv(65536)
	return s


serve_each(service.args.back, begin)

GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
# Preface, SETTINGS, HEADERS of stream 1: GET, http, "/", and an authority "x".
H2 = (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes.fromhex("000000040000000000"
      "0000060105000000018286844101") + b"x")
plain = sends(service.args.plain, GET, b"x" * 1000)
clients = [sends(service.args.front, GET, b"x" * 1000), sends(service.args.http, GET, b"x" * 1000),
	   sends(service.args.h2, H2, b"x" * 1000)]
until("mode tcp, both directions", lambda: stored("bytes") ==
      {"bytes_in_cnt": len(GET), "bytes_in_rate": len(GET), "bytes_out_cnt": len(HEAD) + 2000})
until("a slow response over HTTP/1", lambda: stored("http")["bytes_out_cnt"] > 2000)
check("its rate", stored("http")["bytes_out_rate"] == stored("http")["bytes_out_cnt"])
until("over HTTP/2", lambda: stored("h2")["bytes_out_cnt"] > 2000)
held[1].sendall(b"more")
before = stored("bytes")["bytes_out_cnt"]
until("again and again", lambda: stored("bytes")["bytes_out_cnt"] == before + 4)
check("not without the option", stored("plain") == {"bytes_out_cnt": 0})
held[0].close()
until("but at the end", lambda: stored("plain")["bytes_out_cnt"] > 2000)
finish()
