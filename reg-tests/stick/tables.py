# SPDX-License-Identifier: BSD-2-Clause
"""Commands on stick tables and requests whose rules look into them, one after the other, and what
is answered.

tables.py config                      prints tables.cfg with the rules for all converters of what a
                                      table stores: others are errors
tables.py record SOCKET PORT          prints what a program answers to commands.txt
tables.py compare SOCKET PORT [FILE]  what it answers is what FILE has (answers.txt: the
                                      reference), but for deviations.txt where no FILE is given

Answers are compared without the number of an entry, and without the time that it has left; rows
in any order."""
import http.client
import os
import re
import socket
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


SINGLE = """bytes_in_rate bytes_out_rate conn_cnt conn_cur conn_rate gpc0 gpc0_rate gpc1 gpc1_rate gpt0
	http_err_cnt http_err_rate http_fail_cnt http_fail_rate http_req_cnt http_req_rate kbytes_in
	kbytes_out server_id sess_cnt sess_rate""".split()
OTHERS = ["gpc(0,{})", "gpc(1,{})", "gpc(2,{})", "gpc_rate(0,{})", "gpc_rate(1,{})", "gpt(0,{})",
	  "gpt(99,{})", "expire({})", "expire({},-7)", "idle({})", "idle({},987654321)"]


def stored(table):
	"""Data types of the table, elements of arrays as "gpc(1," and under their own names."""
	declared = re.search(rf"^backend {table}\n\tstick-table .*? store (.*)$", "\n".join(lines("tables.cfg")), re.M)
	names = set()
	for name, most in re.findall(r"(\w+)(?:\((\d+)(?=[,)]))?", re.sub(r"\(\d+h\)|\b\d+h\b", "", declared[1] if declared else "")):
		array, rate = name.removesuffix("_rate"), "_rate" if name.endswith("_rate") else ""
		names |= {name} | {f"{name}({n}," for n in range(int(most or 0))}
		names |= {f"{array}{n}{rate}" for n in range(min(int(most or 0), 2))}
	return names


def finds(table, converter):
	name = re.match(r"\w+(\(\d+,)?", converter)[0].replace("kbytes_in", "bytes_in_cnt").replace("kbytes_out", "bytes_out_cnt")
	return name in ("expire", "idle") or name in stored(table)


def rule(table):
	converters = ["in_table({})"] + [f"table_{c}" for c in [f"{c}({{}})" for c in SINGLE] + OTHERS if finds(table, c)]
	text = "".join(f"{c.format('T')}=%[var(txn.k),{c.format(table)}]\\n" for c in converters)
	return (f'\thttp-request return status 200 content-type text/plain lf-string "{text}" '
		f'if {{ path /{table} }}')


def config():
	for line in lines("tables.cfg"):
		if line.startswith("\tCONVERTERS"):
			line = "\n".join(rule(table) for table in line.split()[1:])
		print(line)


def lines(name):
	with open(os.path.join(HERE, name)) as f:
		return f.read().split("\n")


def get(port, uri):
	c = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
	c.request("GET", uri)
	r = c.getresponse()
	text = r.read().decode()
	return text if r.status == 200 else f"{r.status}"


def ask(path, port, command):
	if command.startswith("GET "):
		return get(port, command[4:])
	s = socket.socket(socket.AF_UNIX)
	s.settimeout(120)
	s.connect(path)
	s.sendall(command.encode() + b"\n")
	said = b""
	while True:
		more = s.recv(65536)
		if not more:
			return said.decode()
		said += more


def normal(said):
	said = re.sub(r"0x[0-9a-f]+: key=", "0x...: key=", said)
	said = re.sub(r"(table_(expire|idle)\(T[^)]*\)=)(?!987654321$)\d+", r"\1...", said, flags=re.M)
	said = re.sub(r" exp=[1-9]\d*", " exp=...", said)
	rows = said.rstrip("\n").split("\n")
	entries = sorted(r for r in rows if r.startswith("0x..."))
	return [r for r in rows if r and not r.startswith("0x...")] + entries


def answers(name):
	"""By the number of the command: the same one may be asked again."""
	found = []
	for line in lines(name):
		if line.startswith("> "):
			found.append((line[2:], []))
		elif found and line:
			found[-1][1].append(line)
	return found


def commands():
	return [c for c in lines("commands.txt") if c]


def compare(path, port, wanted, deviations):
	failures = 0
	given = answers(wanted)
	others = iter(answers(deviations) if deviations else [])
	other = next(others, None)
	if [c for c, _ in given] != commands():
		sys.exit(f"FAILED  {wanted} was made of other commands")
	for command, want in given:
		said = normal(ask(path, port, command))
		if said == want:
			continue
		if other and other == (command, said):
			other = next(others, None)
			continue
		failures += 1
		print(f"FAILED  {command}\nwanted: {want}\nsaid:   {said}")
	if other:
		failures += 1
		print(f"FAILED  this is no deviation: {other[0]}")
	return failures


def main():
	what = sys.argv[1]
	if what == "config":
		return config()
	path, port = sys.argv[2], int(sys.argv[3])
	if what == "record":
		for command in commands():
			print("\n".join([f"> {command}"] + normal(ask(path, port, command))))
		return 0
	if len(sys.argv) > 4:
		return compare(path, port, sys.argv[4], None) != 0
	return compare(path, port, "answers.txt", "deviations.txt") != 0


sys.exit(main())
