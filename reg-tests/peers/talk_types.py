# SPDX-License-Identifier: BSD-2-Clause
"""Every key and data type goes from one load balancer to another, whoever has called whom: changes
as they come, everything after a restart of either.

talk_types.py DIR PROGRAM OTHER

One of the two is HAProxy, as a rule; its count of mistakes of the other (proto_err) stays 0.
Entries come from commands, arrays and names of servers from requests.
"""
import base64
import http.client
import os
import re
import subprocess
import sys

from origin import Origin
from service import ask, check, finish, free_ports, until

SINGLE = """server_id gpt0 gpc0 gpc0_rate conn_cnt conn_rate conn_cur sess_cnt sess_rate http_req_cnt
	http_req_rate http_err_cnt http_err_rate bytes_in_cnt bytes_in_rate bytes_out_cnt bytes_out_rate
	gpc1 gpc1_rate http_fail_cnt http_fail_rate""".split()
LONG = ["bytes_in_cnt", "bytes_out_cnt"]
KEYS = {
    "t_int": ["0", "1", "4660", "2147483648", "4294967295"],
    "t_ip": ["0.0.0.0", "127.0.0.1", "255.255.255.255"],
    "t_ip6": ["::", "::1", "2001:db8::ff", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
    "t_str": ["a", "0123456789", "with+sign", "x" * 64],
    "t_two": ["1", "2"],
}
TYPES = {"t_int": "integer", "t_ip": "ip", "t_ip6": "ipv6", "t_str": "string len 64", "t_two": "integer"}
BINARY = [b"\0", b"\1\2\3\4\5\6\7\x08", b"\xff\0\xff\0\xff\0\xff\0\xff", b"binary"]

# More than there are numbers for names in a conversation.
SERVERS = [f"s{i}" for i in range(139)] + ["a-name-of-a-server-that-is-longer-than-others" * 4]


def config(name, stats, front, addresses, origin):
    store = ",".join(f"{d}(1h)" if "_rate" in d else d for d in SINGLE)
    tables = "".join(f"backend {t}\n\tstick-table type {k} size 1k expire 1h store {store} peers p\n"
                     for t, k in TYPES.items())
    members = "".join(f"\tpeer {n} 127.0.0.1:{port}\n" for n, port in addresses.items())
    servers = "".join(f"\tserver {s} 127.0.0.1:{origin}\n" for s in SERVERS)
    return f"""global
	localpeer {name}
	stats socket {stats} level admin
defaults
	mode http
	timeout connect 1m
	timeout client 1m
	timeout server 1m
peers p
{members}	table own type string len 20 size 1k expire 1h store gpc0
frontend fe
	bind 127.0.0.1:{front}
	http-request track-sc0 url_param(k) table arrays if {{ path /arrays }}
	http-request sc-inc-gpc(0,0) if {{ path /arrays }}
	http-request sc-inc-gpc(2,0) if {{ path /arrays }}
	http-request sc-set-gpt(1,0) url_param(v) if {{ path /arrays }}
	http-request track-sc1 url_param(k) table p/own if {{ path /own }}
	http-request sc-inc-gpc0(1) if {{ path /own }}
	http-request track-sc2 url_param(k),b64dec table t_bin if {{ path /binary }}
	http-request sc-inc-gpc0(2) if {{ path /binary }}
	http-request return status 200 unless {{ path /web }}
	default_backend web
{tables}backend t_bin
	stick-table type binary len 8 size 1k expire 1h store gpc0,http_req_cnt peers p
backend arrays
	stick-table type string len 20 size 1k expire 1h store gpt(3),gpc(3),gpc_rate(3,1h) peers p
backend web
	stick-table type string len 20 size 1k expire 1h store server_id,server_key peers p
	stick on url_param(k)
{servers}"""


class Side:
    def __init__(self, folder, program, name):
        self.program, self.name = program, name
        self.stats = os.path.join(folder, f"{name}.sock")
        self.cfg = os.path.join(folder, f"{name}.cfg")
        self.log = open(os.path.join(folder, f"{name}.log"), "a")
        self.front = free_ports(1)[0]
        self.run = None

    def start(self, addresses, origin):
        with open(self.cfg, "w") as f:
            f.write(config(self.name, self.stats, self.front, addresses, origin))
        self.run = subprocess.Popen([self.program, "-db", "-f", self.cfg], stdout=self.log,
                                    stderr=self.log, stdin=subprocess.DEVNULL)
        until(f"{self.name} runs", lambda: self.ask("show info"))

    def kill(self):
        self.run.kill()
        self.run.wait()
        os.unlink(self.stats)

    def ask(self, command):
        return ask(self.stats, command)

    def get(self, path):
        c = http.client.HTTPConnection("127.0.0.1", self.front, timeout=120)
        c.request("GET", path)
        status = c.getresponse().status
        c.close()
        return status

    def rows(self, table):
        """What is stored under each key; the number, the life and the use of an entry are its
        own."""
        found = {}
        for line in self.ask(f"show table {table}").splitlines():
            if not line.startswith("0x"):
                continue
            words = dict(re.findall(r"(\S+?)=(\S*)", line.split(":", 1)[1]))
            key = words.pop("key")
            for word in "use", "exp", "shard", "conn_cur":
                words.pop(word, None)
            found[key] = words
        return found

    def errors(self):
        """Mistakes of its peers that it has counted."""
        return [int(n) for n in re.findall(r"proto_err=(\d+)", self.ask("show peers"))]


def tables():
    return list(TYPES) + ["t_bin", "arrays", "web", "p/own"]


def values(turn):
    """All data types, another value each; the largest ones are among them."""
    said = []
    for i, name in enumerate(SINGLE):
        some = [0, 1, 239, 240, 2287, 2288, 65536, 4294967295]
        if name == "server_id":
            some[-1] = 2147483647  # above, signs differ
        if name in LONG:
            some += [4294967296, 5000000000, 9223372036854775807]
        if "_rate" in name:
            some = [0, 1, 240, 2288, 100000]
        said.append(f"data.{name} {some[(i + turn) % len(some)]}")
    return " ".join(said)


def change(side, turn):
    """Something in each table. turn: which values, which keys of arrays and names."""
    for table, keys in KEYS.items():
        for i, key in enumerate(keys):
            said = side.ask(f"set table {table} key {key} {values(turn + i)}")
            if said:
                check(f"{side.name}: set table {table} key {key}: {said}", False)
    for key in BINARY:
        side.get(f"/binary?k={base64.b64encode(key).decode()}")
    for i in range(3):
        side.get(f"/arrays?k=arr{turn + i}&v={turn * 1000 + i}")
        side.get(f"/own?k=own{turn + i}")
        side.get(f"/web?k={side.name}{turn + i}")


def use_servers(side):
    """Each server is in an entry."""
    for i in range(150):
        side.get(f"/web?k=many{i}")


def same(one, other):
    """Each table of one has what the other's has, and that is something."""
    for table in tables():
        mine, its = one.rows(table), other.rows(table)
        if not mine or mine != its:
            return False
    return True


def difference(one, other):
    for table in tables():
        mine, its = one.rows(table), other.rows(table)
        for key in sorted(set(mine) | set(its)):
            if mine.get(key) != its.get(key):
                a, b = mine.get(key, {}), its.get(key, {})
                differ = [f"{w} {a.get(w)} {b.get(w)}" for w in sorted(set(a) | set(b)) if a.get(w) != b.get(w)]
                print(f"  {table} {key} ({one.name}, {other.name}): {', '.join(differ)}")


def agree(sentence, one, other):
    if not until(sentence, lambda: same(one, other)):
        difference(one, other)


def blameless(*sides):
    for side in sides:
        errors = side.errors()
        check(f"{side.name} has counted no mistake ({len(errors)} members)", errors and not any(errors))


def run(folder, program, other, caller, origin):
    left, right = Side(folder, program, "left"), Side(folder, other, "right")
    real = dict(zip(("left", "right"), free_ports(2)))
    nobody = free_ports(1)[0]
    # Who does not call has an address at which nobody listens.
    views = {"left": {"left": real["left"], "right": real["right"] if caller == "left" else nobody},
             "right": {"left": real["left"] if caller == "right" else nobody, "right": real["right"]}}
    try:
        for side in left, right:
            side.start(views[side.name], origin)
        change(left, 1)
        agree("changes arrive", left, right)
        change(right, 2)
        agree("changes arrive from the other side", right, left)
        for side, other in (left, right), (right, left):
            use_servers(side)
            agree(f"{len(SERVERS)} names of servers arrive from {side.name}", side, other)
            side.ask("clear table web")
            other.ask("clear table web")
        change(left, 3)
        agree("changes of what was learned arrive", left, right)
        blameless(left, right)
        for restarted, teacher in (right, left), (left, right):
            before = {t: teacher.rows(t) for t in tables()}
            restarted.kill()
            restarted.start(views[restarted.name], origin)
            agree(f"{restarted.name} is taught after its restart", teacher, restarted)
            check("and nothing is lost", before == {t: teacher.rows(t) for t in tables()})
            change(restarted, 4)
            agree("its changes arrive again", restarted, teacher)
            change(teacher, 5)
            agree("and so do those of the other", teacher, restarted)
        blameless(left, right)
    finally:
        for side in left, right:
            if side.run and side.run.poll() is None:
                side.run.kill()
                side.run.wait()


def main():
    folder, program, other = sys.argv[1:4]
    port = free_ports(1)[0]
    origin = Origin(f"127.0.0.1:{port}")
    for caller in "left", "right":
        print(f"## {os.path.basename(program)} is left, {os.path.basename(other)} right; {caller} calls",
              flush=True)
        run(folder, program, other, caller, port)
    origin.close()
    finish()


main()
