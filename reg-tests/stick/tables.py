# SPDX-License-Identifier: BSD-2-Clause
"""Commands on stick tables, one after the other, and what is answered.

tables.py record SOCKET          prints what a program answers to commands.txt
tables.py compare SOCKET [FILE]  what it answers is what FILE has (answers.txt: the reference),
                                 but for deviations.txt where no FILE is given

Answers are compared without the number of an entry, and without the time that it has left; rows
in any order."""
import os
import re
import socket
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def lines(name):
	with open(os.path.join(HERE, name)) as f:
		return f.read().split("\n")


def ask(path, command):
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


def compare(path, wanted, deviations):
	failures = 0
	given = answers(wanted)
	others = iter(answers(deviations) if deviations else [])
	other = next(others, None)
	if [c for c, _ in given] != commands():
		sys.exit(f"FAILED  {wanted} was made of other commands")
	for command, want in given:
		said = normal(ask(path, command))
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
	what, path = sys.argv[1:3]
	if what == "record":
		for command in commands():
			print("\n".join([f"> {command}"] + normal(ask(path, command))))
		return 0
	if len(sys.argv) > 3:
		return compare(path, sys.argv[3], None) != 0
	return compare(path, "answers.txt", "deviations.txt") != 0


sys.exit(main())
