# SPDX-License-Identifier: BSD-2-Clause
"""Which server of many gets a request, by its URI, a parameter, a field or an expression, is what
HAProxy 2.6 chooses: its answers are in keys.txt.

    keys.py PROGRAM FOLDER-FOR-FILES PORT PORT KEYS.TXT     compares; "-" instead of the file: prints
                                                            what it holds
"""
import random
import re
import socket
import subprocess
import sys
import time

from http1 import Reader, reply
from origin import serve

PROGRAM, WORK, FRONT, BACK, RECORD = sys.argv[1:6]
FRONT, BACK = int(FRONT), int(BACK)
CASES = """uri
uri whole
uri len 8
uri depth 1
uri len 12 depth 2
uri path-only
uri whole path-only
url_param userid
url_param userid check_post
hdr(X-Key)
hdr(Host) use_domain_only
hash req.cook(sid)""".split("\n")
HASHES = ["map-based", "map-based djb2 avalanche"]
WORDS = ["a", "bb", "ccc", "index.html", "img", "x1", "deep", "a-very-long-name-of-a-directory"]


def requests(rng, count):
    """Deterministic requests in which each key is there, empty, doubled or missing."""
    for i in range(count):
        path = "/" + "/".join(rng.choice(WORDS) for _ in range(rng.randrange(6)))
        query = "&".join(rng.choice(["userid", "id", "userid2", "USERID"]) + rng.choice(["=", "=", ""]) +
                         rng.choice(["", "a", "17", f"user{i}"]) for _ in range(rng.randrange(4)))
        target = path + ("?" + query if query else "")
        host = rng.choice([f"h{i}.example.org", f"www.site{i}.com", "localhost", f"e{i}.net:8080"])
        if rng.random() < 0.15:
            target = f"http://{host}{target}"
        fields = f"Host: {host}\r\n"
        for _ in range(rng.randrange(3)):
            value = rng.choice([f"v{i}", f"a, b{i}", "", "one,two", f"  x{i} "])
            fields += f"X-Key: {value}\r\n"
        if rng.random() < 0.6:
            fields += f"Cookie: sid=s{i}; o=1\r\n"
        method, body = "GET", ""
        if rng.random() < 0.3:
            method = "POST"
            body = rng.choice([f"userid=p{i}&b=2", f"b=1&userid=p{i}", "none", "userid=", "x=1 userid=3"])
            fields += f"Content-Length: {len(body)}\r\n"
        yield f"{method} {target} HTTP/1.1\r\n{fields}\r\n{body}".encode()


def configuration(case, hash_type):
    servers = "".join(f"\tserver s{i} 127.0.0.1:{BACK} weight {1 + i % 3}\n" for i in range(37))
    return f"""defaults
	mode http
	timeout connect 10s
	timeout client 10s
	timeout server 10s
frontend f
	bind 127.0.0.1:{FRONT}
	http-response set-header X-Server %s
	default_backend b
backend b
	balance {case}
	hash-type {hash_type}
{servers}"""


def connect():
    for _ in range(500):
        try:
            return socket.create_connection(("127.0.0.1", FRONT), 20)
        except OSError:
            time.sleep(0.02)
    sys.exit("FAILED  it does not listen")


def choices(case, hash_type):
    with open(WORK + "/keys.cfg", "w") as f:
        f.write(configuration(case, hash_type))
    process = subprocess.Popen([PROGRAM, "-db", "-f", WORK + "/keys.cfg"])
    connect().close()
    chosen = []
    for request in requests(random.Random(case), 40):
        with connect() as s:
            s.sendall(request)
            found = re.search(rb"x-server: s(\d+)", (Reader(s).head() or b"").lower())
            chosen.append(found.group(1).decode() if found else "-")
    process.terminate()
    process.wait()
    return " ".join(chosen)


def main():
    serve(f"127.0.0.1:{BACK}", lambda r: reply())
    wanted = {}
    if RECORD != "-":
        for line in open(RECORD):
            name, _, servers = line.rstrip("\n").partition(": ")
            wanted[name] = servers
    failures = 0
    for hash_type in HASHES:
        for case in CASES:
            name, got = f"{case} | {hash_type}", choices(case, hash_type)
            if RECORD == "-":
                print(f"{name}: {got}")
                continue
            same = got == wanted.get(name)
            failures += not same
            print("ok     " if same else "FAILED ", name)
            if not same:
                print(f"        {got}\n        {wanted.get(name)}")
    sys.exit(failures != 0)


main()
