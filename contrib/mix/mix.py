#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Random configurations under random traffic.

mix.py [-s SEED] [-n RUNS] [-t SECONDS] [--shim LIBRARIES] PENSTOCK

Each run makes a configuration from its seed, starts PENSTOCK (best one with the sanitizers) with
it, and is clients, servers and administrator around it. It fails when the process dies or
complains, when a message is malformed, mixed up, incomplete without saying so, or never comes, and
when sessions, descriptors, pools or the processor are still in use when all is over. Which things
meet when depends on the machine, so a seed may have to be run more than once. Findings are in the
folder that is named. Linux loses the first byte of connections that find the queue of a listener
full: no backlog here is small. With PyPI's h2 there, some frontends and servers speak HTTP/2.
"""
import argparse
import os
import random
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

from configs import Config
import mix_h2
from peers import HOLD, Client, Front, Origin
from plan import Plan


def free_port():
    s = socket.socket()
    s.bind(("127.0.0.1", 0))
    p = s.getsockname()[1]
    s.close()
    return p


class Run:
    def __init__(self, options, seed):
        self.o, self.seed = options, seed
        self.r = random.Random("%s/run" % seed)
        self.faults, self.sent, self.attempts, self.plans, self.seen = [], set(), {}, {}, {}
        self.lock = threading.Lock()
        self.answered = self.tunnels = 0
        self.over = False
        self.changes_bodies = False
        self.echoes = False
        self.broken_requests = False
        self.h2 = set()      # who speaks HTTP/2: "front", "server"
        self.dir = tempfile.mkdtemp(prefix="mix.")

    def fault(self, what):
        with self.lock:
            if len(self.faults) < 5:
                self.faults.append(what)
            if len(self.faults) == 1 and self.alive():
                try:
                    self.state = self.ask("show sess all")
                except OSError as e:
                    self.state = str(e)

    def plan(self, ident):
        with self.lock:
            if ident not in self.plans:
                self.plans[ident] = Plan(self, ident)
            return self.plans[ident]

    def attempt(self, ident):
        with self.lock:
            n = self.attempts.get(ident, 0)
            self.attempts[ident] = n + 1
            return n

    def alive(self):
        return self.proc.poll() is None

    def ask(self, command):
        s = socket.socket(socket.AF_UNIX)
        s.settimeout(20)
        s.connect(self.dir + "/sock")
        s.sendall(command.encode() + b"\n")
        out = b""
        while True:
            got = s.recv(65536)
            if not got:
                break
            out += got
        s.close()
        return out.decode("latin1")

    def prepare(self):
        r, d = self.r, self.dir
        open(d + "/big", "w").write("z" * 15000)
        open(d + "/big.http", "w").write("HTTP/1.0 503 No\r\nContent-Type: text/plain\r\n\r\n" + "x" * r.choice([100, 6000]))
        open(d + "/small.http", "w").write("HTTP/1.1 503 No\r\nContent-Length: 2\r\nX-Small: 1\r\n\r\nno")
        open(d + "/map", "w").write("/a one\n/b two\nabc three\n")
        open(d + "/acl", "w").write("/a/1\n/b/2\n")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-subj", "/CN=mix", "-keyout", d + "/t.pem", "-out", d + "/crt"], check=True, capture_output=True)
        with open(d + "/crt") as crt, open(d + "/t.pem", "a") as pem:
            pem.write(crt.read())
        self.mutates = r.random() < .3
        self.silent = r.random() < .05
        self.hold = HOLD
        self.tls_back = r.random() < .25
        self.origin_proxy = r.choice([None] * 5 + ["v1", "v2"])
        tls = None
        if self.tls_back:
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(d + "/t.pem")
            tls.set_alpn_protocols(["h2", "http/1.1"] if mix_h2.THERE else ["http/1.1"])
        self.tls_client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self.tls_client.check_hostname = False
        self.tls_client.verify_mode = ssl.CERT_NONE
        self.tls_client_h2 = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self.tls_client_h2.check_hostname = False
        self.tls_client_h2.verify_mode = ssl.CERT_NONE
        self.tls_client_h2.set_alpn_protocols(["h2"])
        self.origins = [Origin(self, tls, self.origin_proxy) for _ in range(2)]
        self.hole_sock = socket.socket()
        self.hole_sock.bind(("127.0.0.1", 0))
        self.hole_sock.listen(1)
        self.hole = self.hole_sock.getsockname()[1]
        self.logger = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.logger.bind(("127.0.0.1", 0))
        self.fronts = [Front(free_port(), r.random() < .25, r.choice([None] * 5 + ["v1", "v2"])) for _ in range(r.choice([1, 2]))]
        self.config = Config(self).make()
        self.write_config()
        self.lax = "option accept-invalid" in self.config
        self.gateways = []
        for front in self.fronts:
            if front.h2:
                front.gateway = mix_h2.Gateway(self, front)
                self.gateways.append(front.gateway)

    def write_config(self):
        """What -c refuses is taken out."""
        path = self.dir + "/cfg"
        for _ in range(12):
            open(path, "w").write(self.config)
            out = subprocess.run([self.o.checker, "-c", "-f", path], capture_output=True, text=True)
            text = out.stdout + out.stderr
            if out.returncode == 0:
                return
            wrong = {int(m) for m in re.findall(r"cfg:(\d+):(?:\d+:)? error", text)}
            if not wrong:
                raise SystemExit("no line in: %s" % text)
            lines = self.config.split("\n")
            if self.o.verbose:
                for n in sorted(wrong):
                    print("refused:", lines[n - 1], file=sys.stderr)
                print(text[:3000], file=sys.stderr)
            self.config = "\n".join("" if i + 1 in wrong else line for i, line in enumerate(lines))
        raise SystemExit("seed %s: still refused: %s" % (self.seed, text))

    def start(self):
        r = self.r
        env = dict(os.environ)
        env.update(self.o.env)
        env.setdefault("ASAN_OPTIONS", "detect_leaks=1:abort_on_error=0")
        env.setdefault("UBSAN_OPTIONS", "print_stacktrace=1")
        self.shim = None
        if self.o.shim and r.random() < (1 if self.o.rules else .3):
            self.shim = r.choice(["send=short:100", "send=short:2000", "send=short:1%7", "pull=limit:1448 push=short:1000", "pipe2=EMFILE%2",
                                  "send=short:300%3", "pull=EINVAL@5", "push=EINVAL@5", "pull=EAGAIN%3", "pull=full:3000", "setpipe=EPERM",
                                  "accept4=EMFILE%5", "socket=EMFILE%4", "connect=EADDRNOTAVAIL%4", "send=ENOBUFS%9", "socket=EMFILE%3 send=short:7%2"])
            if self.o.rules:
                self.shim = r.choice(self.o.rules.split(","))
            env["SHIM"] = self.shim
            if "memory" in self.shim:
                env["SHIM_WHILE"] = self.dir + "/while"
            env["LD_PRELOAD"] = self.o.shim
        self.log = open(self.dir + "/log", "wb")
        self.few = r.random() < .1
        self.master = not self.few and not self.shim and r.random() < .2
        self.limit_n = r.choice([40, 60]) if self.few else 0
        args = [self.o.penstock, "-db", "-f", self.dir + "/cfg"]
        if self.master:
            args += ["-W"]
        if self.few:
            args = ["sh", "-c", "ulimit -n %d; exec \"$0\" \"$@\"" % self.limit_n] + args
        self.proc = subprocess.Popen(self.o.wrap + args, stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL, env=env)
        until = time.time() + 60
        while time.time() < until:
            try:
                self.ask("show version")
                break
            except OSError:
                if not self.alive():
                    return False
                time.sleep(.02)
        return True

    def fds(self):
        return len(os.listdir("/proc/%d/fd" % self.proc.pid))

    def pools(self):
        return {m[0]: int(m[1]) for m in re.findall(r"Pool (.+?) \(\d+ bytes.*?, (\d+) used", self.ask("show pools"))}

    def cpu(self):
        return int(open("/proc/%d/schedstat" % self.proc.pid).read().split()[0]) / 1e9

    def meddle(self):
        r = random.Random("%s/meddle" % self.seed)
        lively = r.random() < .5
        words = ["show sess all", "show sess", "show info", "show stat", "show stat json", "show errors", "show activity", "show pools", "show fd",
                 "show map", "show acl", "show servers state", "show servers conn", "show backend", "show cli sockets", "show threads", "show events",
                 "show env", "show ssl cert", "show ssl sess", "show profiling", "show stat typed", "show schema json", "show resolvers",
                 "show map %s/map" % self.dir]
        hard = ["shutdown sessions server b1/s1", "shutdown sessions server b1/s2", "set server b1/s1 state maint", "set server b1/s1 state drain",
                "set server b1/s1 state ready", "set server b1/s1 weight 50%", "set server b1/s2 weight 0", "set server b1/s2 weight 10", "set maxconn server b1/s1 1",
                "set maxconn server b1/s1 5", "disable server b1/s2", "enable server b1/s2", "set server b1/s1 health down", "set server b1/s1 health up",
                "disable frontend f0", "set maxconn frontend f0 3", "set maxconn frontend f0 100", "set map %s/map /a x" % self.dir,
                "add map %s/map /q y" % self.dir, "clear map %s/map" % self.dir, "clear counters all", "set server b1/s1 addr 127.0.0.1",
                "set maxconn global 100", "set rate-limit connections global 100", "set rate-limit connections global 0"]
        while not self.over and self.alive():
            time.sleep(r.random() * .1)
            try:
                if self.master and r.random() < .1:
                    self.proc.send_signal(signal.SIGUSR2)
                    time.sleep(r.choice([.05, .5]))
                if lively and r.random() < .3:
                    word = r.choice(hard)
                    self.ask(word)
                    if word.startswith("disable f"):
                        time.sleep(.1)
                        self.ask("enable frontend f0")
                elif lively and r.random() < .3:
                    ids = re.findall(r"^(0x[0-9a-f]+): proto=tcp", self.ask("show sess"), re.M)
                    for i in r.sample(ids, min(len(ids), 2)):
                        self.ask("shutdown session " + i)
                        self.ask("show sess " + i)
                else:
                    self.ask(r.choice(words))
            except OSError:
                pass

    def traffic(self):
        m = threading.Thread(target=self.meddle, daemon=True)
        m.start()
        end = time.time() + self.o.seconds
        number, threads = 0, []
        wide = self.r.choice([4, 20, 60])
        while time.time() < end and self.alive() and number < self.o.most:
            threads = [t for t in threads if t.is_alive()]
            if len(threads) >= wide:
                time.sleep(.005)
                continue
            t = threading.Thread(target=Client(self, number, self.r.choice(self.fronts)).go, daemon=True)
            number += 1
            t.start()
            threads.append(t)
        for t in threads:
            t.join(self.hold * 6)
            if t.is_alive():
                self.fault("a client does not end")
                break
        self.over = True
        m.join()

    def settle(self):
        """All that is left goes away."""
        for s in ("set server b1/s1 state ready", "enable frontend f0"):
            self.ask(s)
        for o in self.origins + self.gateways:
            o.end()
        until = time.time() + 20
        while True:
            left = re.findall(r"proto=tcp", self.ask("show sess"))
            info = dict(x.split(": ", 1) for x in self.ask("show info").split("\n") if ": " in x)
            if not left and info["PipesUsed"] == "0" and info["CurrConns"] in ("0", "1"):
                break
            if time.time() > until:
                self.fault("left: %d sessions, PipesUsed %s CurrConns %s" % (len(left), info["PipesUsed"], info["CurrConns"]))
                return
            time.sleep(.1)
        # the last ones are reaped, idle connections have seen that their servers have gone
        if self.master:
            return
        until = time.time() + 8
        while self.fds() > self.fds_before + int(info["PipesFree"]) * 2 + 2:
            if time.time() > until:
                self.fault("descriptors: %d, before %d, %s pipes: %s" % (self.fds(), self.fds_before, info["PipesFree"], self.ask("show fd")))
                break
            time.sleep(.2)
        until = time.time() + 12
        while True:
            used = self.pools()
            over = {n: (u, self.pools_before.get(n, 0)) for n, u in used.items()
                    if u > self.pools_before.get(n, 0) + (30 if " check" in self.config else 2) + 64 * n.startswith("exchange")
                    and n not in ("vars", "map", "pattern")}  # 64 exchanges are kept for later
            if not over:
                break
            if time.time() > until:
                self.fault("pools, now and before: %s %s" % (over, self.ask("show fd")))
                break
            time.sleep(.3)
        if " check" not in self.config:
            c = self.cpu()
            time.sleep(.5)
            c = self.cpu() - c
            if c > .25:
                self.fault("idle, but busy: %.2f s of 0.5" % c)

    def go(self):
        self.prepare()
        if not self.start():
            self.end_log("does not start", expected=self.few or self.shim)
            return
        self.fds_before = self.fds()
        self.pools_before = self.pools()
        open(self.dir + "/while", "w").close()
        self.traffic()
        os.unlink(self.dir + "/while")
        if self.alive():
            try:
                self.settle()
            except OSError as e:
                self.fault("settling: %r" % e)
        self.end()

    def end(self):
        if self.alive():
            self.proc.send_signal(self.r.choice([signal.SIGTERM, signal.SIGUSR1]))
            try:
                self.proc.wait(30)
            except subprocess.TimeoutExpired:
                self.fault("does not end")
                self.proc.kill()
                self.proc.wait()
        for o in self.origins + self.gateways:
            o.end()
        self.hole_sock.close()
        self.logger.close()
        self.end_log("status %d" % self.proc.returncode, expected=self.proc.returncode in (0, 143, -15))

    def end_log(self, what, expected=False):
        self.log.close()
        text = open(self.dir + "/log", errors="replace").read()
        if not expected or "Sanitizer" in text or "runtime error" in text or "BUG" in text or "==ERROR" in text:
            self.faults.append("%s: %s" % (what, text[-6000:]))


def main():
    p = argparse.ArgumentParser(description="random configurations under random traffic")
    p.add_argument("-s", dest="seed", type=int, default=random.randrange(1 << 30))
    p.add_argument("-n", dest="runs", type=int, default=1, help="seeds from SEED on")
    p.add_argument("-t", dest="seconds", type=float, default=4, help="of traffic in each run")
    p.add_argument("-m", dest="most", type=int, default=100000, help="connections in each run")
    p.add_argument("-c", dest="checker", metavar="PENSTOCK", help="for -c: one without sanitizers is faster")
    p.add_argument("--shim", help="LD_PRELOAD: [libasan.so.8:]reg-tests/shim/shim.so; a third of the runs use it")
    p.add_argument("--rules", help="of the shim, with commas between them: all runs use one of them")
    p.add_argument("--wrap", default="", help="a command to start PENSTOCK with")
    p.add_argument("--width", type=int, default=500, help="of what is printed of a finding")
    p.add_argument("-v", dest="verbose", action="store_true")
    p.add_argument("-k", dest="keep", action="store_true", help="the folders of good runs, too")
    p.add_argument("penstock")
    o = p.parse_args()
    o.checker = o.checker or o.penstock
    o.wrap = o.wrap.split()
    o.env = {}
    wrong = 0
    for seed in range(o.seed, o.seed + o.runs):
        run = Run(o, seed)
        run.go()
        print("%d: %d answers, %d tunnels, %d requests reached a server%s%s %s" % (
            seed, run.answered, run.tunnels, sum(run.attempts.values()),
            "".join(", h2 to " + w for w in ("front", "server") if w in run.h2), ", shim " + run.shim if getattr(run, "shim", None) else "" + ", reloads" if getattr(run, "master", 0) else "",
            "mutating" if run.mutates else ""), dict(sorted(run.seen.items())) if o.verbose else "", flush=True)
        if run.faults:
            wrong += 1
            print("FAULT with seed %d, in %s" % (seed, run.dir))
            for f in run.faults:
                print("  -", f[:o.width])
            open(run.dir + "/state", "w").write("\n".join(run.faults) + "\n\n" + getattr(run, "state", ""))
            sys.stdout.flush()
        elif not o.keep:
            shutil.rmtree(run.dir)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
