# SPDX-License-Identifier: BSD-2-Clause
"""A table of many entries is shown, searched and cleared in many short turns of the loop: requests
are answered meanwhile, and one process says what another has set. Usage: driver large.py [--entries
N]"""
import re
import threading
import time

from service import Service, check, connect, finish

service = Service(lambda parser: parser.add_argument("--entries", type=int))
N = service.args.entries
A_TURN = 2500  # places that are looked at, at the most


def read(s):
	"""Whatever the length of the answer: the other thread must not wait for this one."""
	said = []
	while more := s.recv(1 << 18):
		said.append(more)
	return said


def turns():
	return int(re.search(r"^loops: (\d+)", service.ask("show activity"), re.M)[1])


class Asking(threading.Thread):
	"""Requests on one connection, one after the other, until it is told to stop."""

	def __init__(self):
		super().__init__()
		self.answers, self.slowest, self.on = 0, 0.0, True
		self.s = connect(service.args.front)

	def run(self):
		while self.on:
			before = time.monotonic()
			self.s.sendall(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
			if not self.s.recv(65536).startswith(b"HTTP/1.1 200 "):
				break
			self.answers += 1
			self.slowest = max(self.slowest, time.monotonic() - before)


def meanwhile(what, text):
	"""The answer; how often the loop has turned, and that requests went on."""
	before, asking = turns(), Asking()
	asking.start()
	began = time.monotonic()
	with connect(service.args.stats) as s:
		s.sendall(text.encode() + b"\n")
		said = read(s)
	took = time.monotonic() - began
	asking.on = False  # before the pieces are put together, which would stop that thread
	asking.join()
	went = turns() - before
	print(f"{what}: {took:.3f} s, {sum(map(len, said))} bytes, {went} turns, {asking.answers} answers meanwhile, "
	      f"the slowest {asking.slowest * 1000:.2f} ms", flush=True)
	check(f"{what}: requests are answered meanwhile", asking.answers > 0)
	check(f"{what}: at least {N // A_TURN} turns", went >= N // A_TURN)
	return b"".join(said).decode()


def fill():
	for first in range(0, N, 300):
		service.ask(";".join(f"set table t key {k} data.gpc0 {k % 7}" for k in range(first, min(first + 300, N))))


fill()
check("all are counted", f"size:{N}, used:{N}" in service.ask("show table"))
said = meanwhile("show table", "show table t")
keys = {int(k) for k in re.findall(r"key=(\d+) ", said)}
check("each entry is said", keys == set(range(N)))
check("each once", said.count("key=") == N)
said = meanwhile("a filter", "show table t data.gpc0 eq 9")
check("nothing matches", "key=" not in said and f"used:{N}" in said)
meanwhile("clear by a filter", "clear table t data.gpc0 eq 3")
left = sum(k % 7 != 3 for k in range(N))
check("the others are left", f"used:{left}" in service.ask("show table t data.gpc0 eq 3"))
meanwhile("clear", "clear table t")
check("none is left", "used:0" in service.ask("show table t"))
finish()
