# SPDX-License-Identifier: BSD-2-Clause
"""Runs two proxies with the same configuration, asks both the same, and prints what differs.
Usage: compare.py PROGRAM REFERENCE FOLDER"""
import csv
import http.client
import io
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from service import free_ports

CONFIG = """
global
	stats socket {socket} level admin
defaults
	mode http
	timeout client 1m
	timeout server 1m
	timeout connect 1m
frontend fe
	bind 127.0.0.1:{fe} name front
	bind 127.0.0.1:{other}
	option socket-stats
	maxconn 500
	rate-limit sessions 2000
	http-request deny if {{ path /deny }}
	use_backend other if {{ path /never }}
	default_backend be
backend be
	balance leastconn
	fullconn 50
	cookie SRV insert indirect nocache
	server s1 127.0.0.1:{origin} weight 10 maxconn 50 cookie c1
	server s2 127.0.0.1:{origin} weight 10 backup
	server s3 127.0.0.1:{origin} disabled
	server s4 127.0.0.1:{origin} weight 0 maxqueue 3
	server s5 127.0.0.1:{closed} weight 10 check inter 1h
	server s6 127.0.0.1:{closed} track be/s5
backend other
	balance source
backend uri
	balance uri
backend param
	balance url_param x
backend hdr
	balance hdr(x)
backend rdp
	balance rdp-cookie
backend static
	balance static-rr
backend first
	balance first
backend empty
	stick-table type ip size 10k expire 1h store gpc0
backend table
	stick-table type string len 100 size 5
listen stats
	bind 127.0.0.1:{page}
	maxconn 700
	stats uri /stats
	stats admin if TRUE
	stats show-legends
	http-request use-service prometheus-exporter if {{ path /metrics }}
"""

# Times, and what belongs to a program: version, memory, limits of the system, tasks.
VOLATILE = set("""scur lastchg rate downtime lastsess qtime ctime rtime ttime qtime_max ctime_max rtime_max
	ttime_max throttle check_duration req_rate conn_rate bin bout smax rate_max req_rate_max
	conn_rate_max srv_icur idle_conn_cur safe_conn_cur used_conn_cur need_conn_est last_chk connect
	reuse check_code""".split())
PROCESS_DIFFERS = re.compile(r"^haproxy_process_")
METRIC_VOLATILE = re.compile(r"seconds|rate|bytes|max_sessions|connections_current|need_conn|"
			     r"connection_(attempts|reuses)|idle_|check_code|max_ses|current_sessions")

CHANGES = """s=s1&action=ready&b=be
s=s1&action=maint&b=%23ID
s=s1&action=ready&b=be
s=s1&action=bogus&b=be
s=nosuch&action=ready&b=be
s=s1&action=ready&b=nosuch
s=s1&s=s2&s=nosuch&action=ready&b=be
action=ready&b=be
s=s1&action=ready

s=s1&action=dhlth&b=be
s=s5&action=dhlth&b=be
s=s5&action=ehlth&b=be
s=s1&action=dagent&b=be
s=s1&action=arunn&b=be
s=s1&action=&b=be
S=s1&action=ready&b=be
s=%731&action=re%61dy&b=be
s=s1+&action=ready&b=be
s=s6&action=hdown&b=be
s=s1&s=s6&action=hdown&b=be
s=s1&action=hrunn&b=be
s=s1&action=hnolb&b=be
s=s1&action=hrunn&b=be
s=s1&action=shutdown&b=be
s=s1&action=disable&b=be
s=s1&action=disable&b=be
s=s1&action=enable&b=be
s=s1&action=enable&b=be
s=s1&action=ready&b=fe
b=be&action=ready&s
s=s1;b=be;action=ready
s=s1&b=&action=ready""".split("\n")

PATHS = ["/stats;st=DONE", "/stats?scope=be", "/stats;up;norefresh", "/statsx", "/metrics",
	 "/metrics?scope=server", "/metrics?scope=sticktable", "/metrics?scope=bogus", "/metrics?scope", "/stats;csv;scope=FE",
	 "/stats;json", "/stats;json-schema", "/stats;typed"]

failures = 0


def differ(what, ours, theirs):
	global failures
	if ours != theirs:
		failures += 1
		print(f"FAILED  {what}: {ours!r}, the reference: {theirs!r}")


class Origin(BaseHTTPRequestHandler):
	protocol_version = "HTTP/1.1"

	def handle(self):
		try:
			super().handle()
		except ConnectionError:
			pass

	def do_GET(self):
		self.send_response(int(self.path[1:]))
		self.send_header("Content-Length", "5")
		self.end_headers()
		self.wfile.write(b"hello")

	def log_message(self, *args):
		pass


class Proxy:
	def __init__(self, program, folder, origin, closed):
		self.fe, self.other, self.page = free_ports(3)
		self.name = os.path.basename(program)
		self.socket = f"{folder}/{self.name}.sock"
		path = f"{folder}/{self.name}.cfg"
		with open(path, "w") as f:
			f.write(CONFIG.format(socket=self.socket, fe=self.fe, other=self.other,
					      page=self.page, origin=origin, closed=closed))
		self.log = open(f"{folder}/{self.name}.log", "w")
		self.process = subprocess.Popen([program, "-db", "-f", path], stdout=self.log,
						stderr=self.log)
		for _ in range(3000):
			if self.process.poll() is not None:
				with open(self.log.name) as f:
					raise OSError(f"{program} does not start: {f.read()}")
			try:
				socket.create_connection(("127.0.0.1", self.page)).close()
				break
			except ConnectionError:
				time.sleep(0.02)

	def ask(self, port, path, body=None):
		c = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
		c.request("POST" if body is not None else "GET", path, body)
		r = c.getresponse()
		text = r.read().decode()
		c.close()
		return r, text

	def command(self, line):
		s = socket.socket(socket.AF_UNIX)
		s.settimeout(120)
		s.connect(self.socket)
		s.sendall(line.encode() + b"\n")
		while s.recv(65536):
			pass

	def stop(self):
		self.process.terminate()
		self.process.wait()


def rows(text):
	"""Columns in order, and rows by name, up to the column that ends those of all programs."""
	lines = list(csv.reader(io.StringIO(text)))
	columns = lines[0][: lines[0].index("-")]
	columns[0] = columns[0][2:]
	return columns, {(r[0], r[1]): dict(zip(columns, r)) for r in lines[1:] if r}


def normal(row):
	"""Names of the proxies' ports and numbers that depend on the order of the sections."""
	return {k: re.sub(r":\d+$", ":N", v) for k, v in row.items()}


def compare_csv(ours, theirs, path):
	columns, a = rows(ours.ask(ours.page, path)[1])
	other, b = rows(theirs.ask(theirs.page, path)[1])
	differ(f"columns of {path}", columns, other)
	differ(f"rows of {path}", list(a), list(b))
	for name in a.keys() & b.keys():
		x, y = normal(a[name]), normal(b[name])
		for column in columns:
			if column in VOLATILE:
				differ(f"{name} has {column}", x[column] != "", y[column] != "")
			elif name[0] != "stats":
				differ(f"{name} {column}", x[column], y[column])


def compare_json(ours, theirs):
	def shape(proxy):
		return [(i["objType"], i["field"]["name"], i["tags"], i["value"]["type"])
			for row in json.loads(proxy.ask(proxy.page, "/stats;json")[1]) for i in row
			if i["field"]["name"] in known]

	known = set(rows(ours.ask(ours.page, "/stats;csv")[1])[0])
	a, b = shape(ours), shape(theirs)
	for x in a:
		if x not in b:
			differ("JSON", x, None)
	for y in b:
		if y not in a:
			differ("JSON", None, y)


def metrics(proxy):
	types, samples = {}, {}
	for line in proxy.ask(proxy.page, "/metrics")[1].split("\n"):
		if line.startswith("# TYPE haproxy_"):
			types[line.split()[2]] = line.split()[3]
		elif line.startswith("haproxy_"):
			name, value = line.rsplit(" ", 1)
			samples[name] = value
	return types, samples


def compare_metrics(ours, theirs):
	types, a = metrics(ours)
	other, b = metrics(theirs)
	differ("metrics", list(types.items()), list(other.items()))
	for name in sorted(a.keys() | b.keys()):
		if "build_info" in name:
			continue
		x, y = a.get(name), b.get(name)
		if METRIC_VOLATILE.search(name) or PROCESS_DIFFERS.match(name) or 'proxy="stats"' in name:
			x, y = x and x == "NaN", y and y == "NaN"
		differ(name, x, y)


def compare_answers(ours, theirs):
	for path in PATHS:
		a, b = ours.ask(ours.page, path)[0], theirs.ask(theirs.page, path)[0]
		differ(f"status of {path}", a.status, b.status)
		differ(f"type of {path}", a.headers["content-type"].split("; charset")[0],
		       b.headers["content-type"])
		differ(f"cache-control of {path}", a.headers["cache-control"],
		       b.headers["cache-control"])


def compare_changes(ours, theirs):
	for form in CHANGES:
		form = form.replace("ID", "3")
		where = [p.ask(p.page, "/stats;up?scope=be", form)[0] for p in (ours, theirs)]
		differ(f"change {form}", *[(r.status, r.headers["location"]) for r in where])


def start(program, *args):
	"""Somebody else may have taken a port meanwhile."""
	for attempt in range(5):
		try:
			return Proxy(program, *args)
		except OSError as e:
			problem = e
	sys.exit(f"FAILED  {problem}")


def traffic(proxy):
	for port in (proxy.fe, proxy.other):
		for path in ("/200", "/201", "/302", "/404", "/404", "/500", "/deny"):
			proxy.ask(port, path)


def main():
	program, reference, folder = sys.argv[1:]
	server = ThreadingHTTPServer(("127.0.0.1", 0), Origin)
	threading.Thread(target=server.serve_forever, daemon=True).start()
	nobody = socket.socket()  # bound, so that nobody else gets the port
	nobody.bind(("127.0.0.1", 0))
	closed = nobody.getsockname()[1]
	proxies = [start(p, folder, server.server_port, closed) for p in (program, reference)]
	for proxy in proxies:
		traffic(proxy)
		for key in ("192.0.2.1", "192.0.2.2", "192.0.2.1"):
			proxy.command(f"set table empty key {key}")
		# The check of s5 has failed by now: each has answered many requests since.
		while "\nbe,s5,0,0,0,0,,0,0,0,,0,,0,0,0,0,DOWN" not in proxy.ask(
				proxy.page, "/stats;csv")[1]:
			time.sleep(0.05)
	compare_csv(*proxies, "/stats;csv")
	compare_csv(*proxies, "/stats;csv;up")
	compare_csv(*proxies, "/stats;csv;no-maint;norefresh")
	compare_json(*proxies)
	compare_metrics(*proxies)
	compare_answers(*proxies)
	compare_changes(*proxies)
	for proxy in proxies:
		proxy.stop()
	print(f"{failures} differences")
	return failures != 0


sys.exit(main())
