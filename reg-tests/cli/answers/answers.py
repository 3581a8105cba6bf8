#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What each command answers, good and wrong, with severities, on the stats socket and through the parent's,
beside HAProxy 2.6 and 2.8.

answers.py SET compare PROGRAM THREADS     asks Penstock each command; its answer must stand in answers.txt
answers.py SET reference PROGRAM NAME      asks a reference; its answer must be the one recorded under NAME
answers.py SET record 2.6=PROGRAM 2.8=PROGRAM here=PROGRAM     writes answers.txt to the standard output

SET is empty, or "tls-" for the commands about certificates: tls-answers.txt, tls-answers.cfg and
tls-commands.txt. A command has "\\n" for a line feed, DIR for the folder of the run, and "PEM(NAME)"
or "BASE64(NAME)" for what that file there has.

answers.txt has, below each command, answers and who gives them. Where "here" stands it is another one by
intent; else Penstock answers as one of the others does."""

import base64

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SET = sys.argv.pop(1)
PATIENCE = 60

# ca, ca2: authorities; site, other: certificates of ca; site.pem.ocsp: the answer about site.
CERTIFICATES = """
key() { openssl ecparam -name prime256v1 -genkey -noout -out "$1.key"; }
for n in ca ca2; do
	key $n
	openssl req -x509 -key $n.key -days 3000 -subj "/CN=$n" -out $n.pem
done
for n in 17:site 18:other; do
	serial=${n%:*} n=${n#*:}
	key $n
	openssl req -new -key $n.key -subj "/CN=$n.example" -out csr
	echo "subjectAltName=DNS:$n.example" >ext
	openssl x509 -req -in csr -CA ca.pem -CAkey ca.key -days 3000 -extfile ext -set_serial $serial \\
		-out $n.crt
	cat $n.crt $n.key ca.pem >$n.pem
done
key alien
cat site.crt alien.key >mixed.pem
cat site.crt >bare.pem
openssl pkcs8 -topk8 -in site.key -passout pass:x -out locked.key
cat site.crt locked.key >locked.pem
: >index
printf '[ca]\\ndefault_ca = c\\n[c]\\ndatabase = index\\ndefault_md = sha256\\n' >conf
openssl ca -batch -config conf -keyfile ca.key -cert ca.pem -gencrl -crldays 3000 -out crl.pem
openssl ca -batch -config conf -keyfile ca2.key -cert ca2.pem -gencrl -crldays 3000 -out crl2.pem
printf 'V\\t401231235959Z\\t\\t11\\tunknown\\t/CN=site.example\\n' >ocsp-index
openssl ocsp -issuer ca.pem -cert site.crt -reqout asked
openssl ocsp -index ocsp-index -CA ca.pem -rsigner ca.pem -rkey ca.key -ndays 3000 \\
	-reqin asked -respout site.pem.ocsp
mkdir crts && cp site.pem crts/
printf '%s/site.pem\\n%s/other.pem [alpn h2] !x.example\\n' "$PWD" "$PWD" >list
"""


class Program:
    def __init__(self, path, threads):
        self.dir = tempfile.mkdtemp(prefix="penstock.")
        with open(self.dir + "/l.acl", "w") as f:
            f.write("/x\n/y\n")
        with open(self.dir + "/m.map", "w") as f:
            f.write("/a va\n/b vb\n")
        if SET:
            subprocess.run(["sh", "-ec", CERTIFICATES], cwd=self.dir, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.log = open(self.dir + "/log", "w+")
        self.process = subprocess.Popen(
            [path, "-W", "-db", "-S", self.dir + "/parent", "-f", f"{HERE}/{SET}answers.cfg"], stdout=self.log, stderr=self.log,
            stdin=subprocess.DEVNULL, env=dict(os.environ, DIR=self.dir, THREADS=str(threads)))
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.process.poll() is None:
            try:
                if self.ask("show version") and "worker" in self.ask("@P show proc"):
                    return
            except OSError:
                time.sleep(0.02)
        self.log.seek(0)
        sys.exit(f"{path} does not start:\n{self.log.read()}")

    def ask(self, command):
        where = "/s"
        if command.startswith("@P "):
            command, where = command[3:], "/parent"
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(PATIENCE)
            s.connect(self.dir + where)
            s.sendall(self.whole(command))
            s.shutdown(socket.SHUT_WR)
            said = b""
            while piece := s.recv(65536):
                said += piece
        return self.plain(said.decode("latin1"))

    def whole(self, command):
        """As bytes, with the contents of the files that it names."""
        def content(match):
            with open(f"{self.dir}/{match[2]}", "rb") as f:
                text = f.read()
            return (text if match[1] == "PEM" else base64.b64encode(text)).decode()
        command = command.replace("\\n", "\n").replace("DIR", self.dir)
        return re.sub(r"\b(PEM|BASE64)\(([^)]*)\)", content, command).encode() + b"\n"

    def plain(self, said):
        """Without what is another one in each run, and without lists of commands."""
        said = said.replace(self.dir, "DIR").replace(HERE + "/", "")
        said = re.sub(r"@system-ca.*\n|\0", "", said) # 2.6 and 2.8 end "[alpn h2" by a zero byte
        said = re.sub(r"(notBefore|notAfter|Serial|FingerPrint|(Next|Last) Update|Response Key): .*",
                      r"\1: X", said)
        said = re.sub(r"(?m)^( *(Certificate ID key : |.* Hash: |(Produced At|This Update|Next Update): )).*",
                      r"\1X", said)
        said = re.sub(r"(?s)(Response Extensions:).*(-----END)", r"\1 X \2", said)
        said = re.sub(r"\b0x[0-9a-f]+", "0xR", said)
        said = re.sub(r"\b2\.\d+\.\d+\S*", "VERSION", said)
        return re.sub(r"(Unknown command).*\n(  .*\n)+", r"\1\n", said)

    def end(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()
        shutil.rmtree(self.dir)


def commands():
    with open(f"{HERE}/{SET}commands.txt") as f:
        return [line.rstrip("\n") for line in f if not line.startswith("#")]


def answers(path, threads):
    program = Program(path, threads)
    try:
        return [program.ask(command) for command in commands()]
    finally:
        program.end()


def recorded():
    """For each command who answers what."""
    all_of_them = []
    with open(f"{HERE}/{SET}answers.txt") as f:
        for line in f:
            if line.startswith("> "):
                all_of_them.append((line[2:-1], {}))
            elif line.startswith("= "):
                who = line[2:].split()
                for name in who:
                    all_of_them[-1][1][name] = ""
            elif line.startswith("  "):
                for name in who:
                    all_of_them[-1][1][name] += line[2:]
    if [command for command, _ in all_of_them] != commands():
        sys.exit("FAILED  answers.txt and commands.txt have other commands")
    return [said for _, said in all_of_them]


def record(programs):
    said = {name: answers(path, 1) for name, path in programs}
    print("# Made by answers.py record.")
    for i, command in enumerate(commands()):
        print("> " + command)
        given = {}
        for name in said:
            given.setdefault(said[name][i], []).append(name)
        for text, who in given.items():
            if who != ["here"] and "here" in who:
                who.remove("here")
            print("= " + " ".join(who))
            print("".join("  %s\n" % line for line in text.split("\n")[:-1]), end="")


def judge(path, threads, allowed):
    failures = 0
    for command, said, known in zip(commands(), answers(path, threads), recorded()):
        wanted = allowed(known)
        if said not in wanted:
            failures += 1
            print(f"FAILED  {command!r}: {said!r} instead of {' or '.join(map(repr, wanted))}")
    print(f"{len(commands())} commands, {failures} answered otherwise")
    return failures


def main():
    what, path = sys.argv[1:3]
    if what == "record":
        record([word.split("=", 1) for word in sys.argv[2:]])
        return 0
    if what == "reference":
        try:
            return judge(path, 1, lambda known: [known[sys.argv[3]]]) > 0
        except TimeoutError: # 2.8 once, while its workers began: nothing is known of it then
            print(f"{path} does not answer")
            return 0
    return judge(path, int(sys.argv[3]),
                 lambda known: [known["here"]] if "here" in known else list(known.values())) > 0


sys.exit(main())
