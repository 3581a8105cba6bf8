# SPDX-License-Identifier: BSD-2-Clause
"""Penstock with servers whose names are looked up while serving, and origins on several addresses
of loopback that say which they are."""
import os
import signal
import subprocess
import sys
import threading
import time

import service
from http1 import reply
from origin import serve


class Origins:
    """On the same port of several addresses: the body of each answer is the address."""

    def __init__(self, addresses):
        self.requests = dict.fromkeys(addresses, 0)
        self.port = service.free_ports(1)[0]
        for address in addresses:
            serve(f"{address}:{self.port}", lambda _, address=address: self.answer(address))


    def answer(self, address):
        self.requests[address] += 1
        return reply(address)


class World:
    """text: of the configuration behind the global section and defaults; {port} is that of the
    origins, {dns} the port of the name server, {front} where clients are awaited. file: one that
    says all by itself, out of the environment."""

    def __init__(self, args, text, workers=0, file=None, **words):
        self.dir, self.stats, self.parent = args.dir, os.path.join(args.dir, "stats"), os.path.join(args.dir, "parent")
        self.front = f"127.0.0.1:{service.free_ports(1)[0]}"
        self.log = os.path.join(args.dir, "log")
        self.cfg = os.path.join(args.dir, "cfg")
        self.text, self.workers, self.words = text, workers, words
        if file:
            os.environ["LISTEN"] = self.front
        else:
            self.write(text)
        command = [args.penstock, "-f", file or self.cfg] + (["-W", "-S", self.parent] if workers else ["-db"])
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        service.until("it serves", self.serves)

    def serves(self):
        if self.process.poll() is not None:
            sys.exit(f"FAILED  it has ended: {self.logged()}")
        return "Pid" in self.ask("show info")

    def write(self, text, **words):
        self.words.update(words)
        with open(self.cfg, "w", encoding="utf-8") as f:
            f.write(f"global\n\tstats socket {self.stats} level admin\n" +
                    (f"\tnbproc {self.workers}\n" if self.workers > 1 else "") +
                    "defaults\n\tmode http\n\ttimeout connect 10s\n\ttimeout client 1m\n\ttimeout server 1m\n" +
                    text.format(front=self.front, **self.words))

    def ask(self, command):
        return service.ask(self.stats, command)

    def servers(self):
        """By "backend/server": the row of show servers state."""
        lines = self.ask("show servers state").splitlines()
        keys = lines[1].lstrip("# ").split()
        rows = [dict(zip(keys, line.split())) for line in lines[2:] if line]
        return {f"{row['be_name']}/{row['srv_name']}": row for row in rows}

    def addresses(self, backend="b"):
        return [row["srv_addr"] for name, row in self.servers().items() if name.startswith(backend + "/")]

    def counts(self, section="dns"):
        """Of the section's name servers: by name, a dictionary."""
        found, at = {}, None
        for line in self.ask(f"show resolvers {section}").splitlines():
            if line.startswith(" nameserver "):
                at = found.setdefault(line.split()[1].rstrip(":"), {})
            elif line.startswith("  "):
                at[line.split(":")[0].strip()] = int(line.split(":")[1])
        return found

    def retries(self, backend, server):
        head, *rows = (line.split(",") for line in self.ask("show stat").splitlines() if line)
        return next(int(row[head.index("wretr")]) for row in rows if row[:2] == [backend, server])

    def logged(self):
        with open(self.log, errors="replace", encoding="utf-8") as f:
            return f.read()

    def get(self):
        """The body of an answer; the whole answer where it is not 200."""
        with service.connect(self.front) as s:
            s.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            got = service.read_all(s).decode()
        return got.split("\r\n\r\n", 1)[1] if got.startswith("HTTP/1.1 200") else got

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(service.PATIENCE)
        service.check(f"it ends well ({code})", code in (0, 143))
        for bad in "AddressSanitizer", "LeakSanitizer", "runtime error:", "BUG:":
            if bad in self.logged():
                print(self.logged())
                service.check(f"without {bad}", False)


class Client(World):
    """Its HTTP client looks names up."""

    def get(self, name, port):
        """What the origin says, or the status; and the milliseconds that it took.
        Connections are kept for as long as the name stands there in the same letters."""
        begin = time.monotonic()
        said = self.ask(f"expert-mode on; httpclient GET http://{name}:{port}/")
        status, _, rest = said.partition("HTTP/1.1 ")[2].partition(" ")
        body = rest.replace("\r", "").partition("\n\n")[2].strip()
        return body if status == "200" else status, 1000 * (time.monotonic() - begin)


class Traffic:
    """Requests without end; what was not answered by an origin stands in .failed."""

    def __init__(self, world, clients=4):
        self.world, self.failed, self.count, self.going = world, [], 0, True
        self.threads = [threading.Thread(target=self.run) for _ in range(clients)]
        for thread in self.threads:
            thread.start()

    def run(self):
        while self.going:
            try:
                got = self.world.get()
                self.count += 1
                if not got or got.startswith("HTTP"):
                    self.failed.append(got)
            except OSError as e:
                self.failed.append(str(e))

    def stop(self):
        self.going = False
        for thread in self.threads:
            thread.join()

    def end(self, sentence):
        self.stop()
        service.check(f"{sentence}: {self.count} requests, {len(self.failed)} failed {self.failed[:1]}",
                      self.count and not self.failed)
