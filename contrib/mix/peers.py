# SPDX-License-Identifier: BSD-2-Clause
"""The servers and the clients around the proxy."""
import random
import re
import socket
import ssl
import struct
import threading
import time
import traceback

import mix_h2
from wire import (Bad, Checker, Gone, Reader, Tls, body, close, framing, hang_up, libc, quiet, reset, reset_now,
                  values)

HOLD = 30.0          # longer than any wait that a configuration here allows


class Origin:
    def __init__(self, run, tls=None, proxy=None):
        self.run, self.proxy, self.tls = run, proxy, tls
        self.sock = socket.create_server(("127.0.0.1", 0), backlog=200)
        self.port = self.sock.getsockname()[1]
        self.conns = set()
        self.stop = False
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        self.sock.settimeout(.2)
        while not self.stop:
            try:
                c = self.sock.accept()[0]
            except (socket.timeout, TimeoutError):
                continue
            except OSError:
                return
            c.settimeout(HOLD)
            threading.Thread(target=self.conn, args=(c,), daemon=True).start()

    def conn(self, c):
        self.conns.add(c)
        try:
            if self.proxy:
                self.header(c)
            if self.tls:
                c2 = Tls(self.tls, c, True)
                self.conns.discard(c)
                c = c2
                self.conns.add(c)
            if self.speaks_h2(c):
                mix_h2.serve(self, c)
            else:
                self.talk(c)
        except OSError:
            pass
        except Gone:
            pass
        except Bad as e:
            if not self.run.mutates:
                self.run.fault("server: %s" % e)
        except Exception:
            self.run.fault("server: " + traceback.format_exc())
        self.conns.discard(c)
        close(c)

    def speaks_h2(self, c):
        if not mix_h2.THERE:
            return False
        if self.tls:
            return c.tls.selected_alpn_protocol() == "h2"
        return c.recv(4, socket.MSG_PEEK | socket.MSG_WAITALL) == b"PRI "

    def talk(self, c):
        """HTTP/1."""
        last = "?"
        rd = Reader(c)
        try:
            while not self.stop:
                last = self.exchange(c, rd)
                if not last:
                    break
        except (Gone, ssl.SSLError):
            pass
        except (socket.timeout, TimeoutError):
            pass
        except Bad as e:
            if self.run.mutates and (self.run.lax or any(f.mode == "tcp" for f in self.run.fronts)):
                return
            self.run.fault("server: behind %s: %s; then %r" % (last, e, rd.buf[:200]))
        except OSError:
            pass
        except Exception:
            self.run.fault("server: " + traceback.format_exc())
        close(c)

    def header(self, c):
        first = c.recv(6, socket.MSG_WAITALL)
        if not first:
            raise Gone()
        if first == b"PROXY ":
            while not first.endswith(b"\n"):
                b = c.recv(1)
                if not b:
                    raise Gone()
                first += b
        elif first == b"\r\n\r\n\0\r":
            rest = c.recv(10, socket.MSG_WAITALL)
            c.recv(struct.unpack(">H", rest[8:])[0], socket.MSG_WAITALL)
        else:
            raise Bad("no PROXY header: %r" % first)

    def send(self, c, plan, data, pieces, r, limit):
        at = 0
        data = data[:limit]
        while at < len(data):
            n = {"whole": 1 << 20, "some": r.choice([1, 50, 500, 5000, 50000]), "bytes": 1}[pieces]
            if pieces == "bytes" and at > 300:
                n = 1 << 20
            c.sendall(data[at:at + n])
            at += n
            if pieces != "whole" and r.random() < .3 and at < 20000:
                time.sleep(r.choice([0, .001, .01]))

    def exchange(self, c, rd):
        run = self.run
        try:
            start, fields = rd.head()
        except Gone:
            if rd.buf and not run.broken_requests:
                pass          # a client may break off within a head of the mode tcp
            raise
        ids = values(fields, b"x-id")
        m = re.match(rb"^([!#$%&'*+.^_`|~0-9A-Za-z-]+) (\S+) HTTP/1\.([01])$", start)
        if not m:
            raise Bad("request line %r" % start)
        if len(ids) != 1 or ids[0].decode("latin1") not in run.sent:
            if run.mutates:
                return None
            raise Bad("request that nobody sent: %r %r" % (start, fields[:20]))
        plan = run.plan(ids[0].decode())
        attempt = run.attempt(plan.ident)
        r = random.Random(plan.seedling + attempt)
        frame = framing(fields)
        if m[1].decode() != plan.method and not run.mutates:
            raise Bad("method of %s: %r" % (plan.ident, start))
        fault = plan.fault if attempt == 0 or not plan.only_first else None
        if fault == "resetreq" and r.random() < .5:
            reset(c)
            return None
        if fault == "empty":
            return None
        if values(fields, b"upgrade") or m[1] == b"CONNECT":
            if m[1] != b"CONNECT":
                body(rd, frame or 0, lambda piece: None)
            return self.tunnel(c, rd, plan, m[1] == b"CONNECT")
        check = Checker(plan, "q", (values(fields, b"content-encoding") or [None])[0])
        check.lenient = run.mutates
        if values(fields, b"expect") and not plan.early:
            c.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        if not plan.early:
            body(rd, frame or 0, check)
            if check.at != plan.req_size and not run.mutates:
                raise Bad("%d bytes of %d in the request %s" % (check.at, plan.req_size, plan.ident))
        if plan.delay:
            time.sleep(plan.delay)
        if fault == "silent":
            time.sleep(r.choice([.5, 3]))
            return None
        if m[3] == b"1":
            for s in plan.interim:
                c.sendall(b"HTTP/1.1 %d Interim\r\nX-Interim: %s\r\n\r\n" % (s, plan.ident.encode()))
        head, data = plan.response()
        if fault == "junk":
            head = r.choice([b"JUNK\r\n\r\n", b"HTTP/1.1 200 OK\r\nBad Header: x\r\n\r\n", b"\0\1\2" * 50,
                             b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", b"\r\n\r\n\r\n",
                             b"HTTP/1.1 200 OK\r\nX: " + b"y" * 70000 + b"\r\n\r\n",
                             b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"])
            data = b""
        limit = 1 << 30
        if fault in ("fin", "rst", "resetreq"):
            limit = int((len(head) + len(data)) * plan.fault_at * r.choice([1, 1, .01]))
        if fault == "extra" and len(head + data) < 1400 and (plan.res_frame != "close" or plan.bare()):
            # in one segment: later it may come behind the next request, and nobody can tell
            c.sendall(head + data + b"HTTP/1.1 200 OK\r\nX-Id: smuggled\r\nContent-Length: 3\r\n\r\nabc")
        else:
            self.send(c, plan, head + data, plan.res_pieces, r, limit)
        if fault in ("rst", "resetreq"):
            reset(c)
            return None
        if plan.early and not fault:
            body(rd, frame or 0, check)
            if check.at != plan.req_size and not run.mutates:
                raise Bad("%d bytes of %d in the request %s" % (check.at, plan.req_size, plan.ident))
        if fault or plan.res_close or plan.res_frame == "close" and not plan.bare() or m[3] == b"0" or \
                (plan.res_frame == "close" and plan.res_old):
            hang_up(c)
            if r.random() < .5:
                time.sleep(.02)
            return None
        if r.random() < .1:
            time.sleep(r.choice([0, .002, .02]))
            return None
        return plan.ident

    def tunnel(self, c, rd, plan, connect):
        r = random.Random(plan.seedling)
        c.sendall(b"HTTP/1.1 200 OK\r\nX-Id: %s\r\n\r\n" % plan.ident.encode() if connect else
                  b"HTTP/1.1 101 Switching\r\nX-Id: %s\r\nUpgrade: mix\r\nConnection: upgrade\r\n\r\n" %
                  plan.ident.encode())
        t = threading.Thread(target=quiet, args=(self.send, c, plan, plan.body("S", 0, plan.res_size),
                                                 plan.res_pieces, r, 1 << 30), daemon=True)
        t.start()
        check = Checker(plan, "Q")
        check.lenient = self.run.mutates
        body(rd, "close", check)
        t.join(HOLD)
        if r.random() < .3:
            reset(c)
        else:
            hang_up(c)
        return None

    def end(self):
        self.stop = True
        self.sock.close()
        for c in list(self.conns):
            quiet(lambda: libc.shutdown(c.fileno(), 2))


class Client:
    """One connection."""

    def __init__(self, run, number, front):
        self.run, self.number, self.front = run, number, front
        self.r = random.Random("%s/client/%d" % (run.seed, number))
        self.dead = False

    def go(self):
        run, r = self.run, self.r
        self.slow = r.choice([None] * 8 + [.001, .01])
        try:
            s = socket.socket()
            if r.random() < .2:
                s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            s.settimeout(run.hold)
            gateway = self.front.gateway
            s.connect(("127.0.0.1", gateway.port if gateway else self.front.port))
            if self.front.proxy and not gateway:
                if self.front.proxy == "v2":
                    s.sendall(b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c" + bytes([10, 0, 0, 1, 10, 0, 0, 2, 1, 2, 3, 4]))
                else:
                    s.sendall(b"PROXY TCP4 10.0.0.1 10.0.0.2 1000 80\r\n")
            if self.front.tls:
                s = Tls(run.tls_client, s)
        except OSError:
            return
        self.sock = s
        n = r.choice([1, 1, 2, 3, 5])
        plans = [run.plan("%d.%d" % (self.number, i)) for i in range(n)]
        for p in plans:
            run.sent.add(p.ident)
        self.pipelined = r.random() < .3
        self.pieces = r.choice(["whole"] * 4 + ["some", "bytes"])
        self.abort = r.choice([None] * 5 + ["fin", "rst", "close", "half", "stop"])
        self.tunnel = None if gateway else r.choice([None] * 6 + ["upgrade", "connect"])
        total = sum(sum(map(len, p.request())) for p in plans)
        self.abort_at = int(r.random() * total * r.choice([1, 1, .05, 1.1])) if self.abort else 1 << 60
        self.may = threading.Semaphore(n if self.pipelined else 1)
        self.count = 0
        if r.random() < .15 and run.mutates:
            self.mutate = r.random() + .5
        else:
            self.mutate = None
        w = threading.Thread(target=quiet, args=(self.write, plans), daemon=True)
        w.start()
        try:
            self.read(plans)
        except Gone:
            pass
        except Bad as e:
            if not self.mutate:
                run.fault("client %d: %s %s" % (self.number, e, self.how(plans)))
        except (socket.timeout, TimeoutError):
            if not self.dead and run.hold == HOLD and self.count:
                run.fault("client %d: nothing for %d s %s" % (self.number, HOLD, self.how(plans)))
        except (OSError, ValueError):
            pass
        except Exception:
            run.fault("client: " + traceback.format_exc())
        self.dead = True
        self.may.release()
        if r.random() < .3:
            reset(s)
        else:
            close(s)

    def how(self, plans):
        return "(pipelined %s pieces %s abort %s@%d tunnel %s mutate %s: %s)" % (
            self.pipelined, self.pieces, self.abort, self.abort_at, self.tunnel, self.mutate,
            [{k: v for k, v in p.__dict__.items() if v not in (None, 0, False, "", [])} for p in plans])

    def push(self, data):
        at, r = 0, self.r
        while at < len(data):
            n = {"whole": 1 << 20, "some": r.choice([1, 10, 100, 1000, 10000]), "bytes": 1}[self.pieces]
            if self.pieces == "bytes" and at > 400:
                n = 1 << 20
            n = min(n, self.abort_at - self.count)
            if n <= 0:
                return False
            self.sock.sendall(data[at:at + n])
            at += n
            self.count += n
            if self.pieces == "some" and r.random() < .3:
                time.sleep(r.choice([0, .001, .005]))
        return self.count < self.abort_at

    def write(self, plans):
        for i, p in enumerate(plans):
            self.may.acquire()
            if self.dead:
                return
            head, data = p.request()
            last = i == len(plans) - 1
            if last and self.tunnel == "upgrade":
                head = head.replace(b"\r\n\r\n", b"\r\nConnection: upgrade\r\nUpgrade: mix\r\n\r\n") \
                    if not p.close and not p.keep10 and p.minor and b"Connection:" not in head else head
            elif last and self.tunnel == "connect" and p.req_frame == "none":
                head = re.sub(rb"^\S+ \S+ HTTP/1.\d", b"CONNECT a.example:443 HTTP/1.1", head)
                p.method, p.minor = "CONNECT", 1
            if self.mutate:
                b = bytearray(head + data)
                for _ in range(self.r.choice([1, 1, 2, 5])):
                    b[self.r.randrange(min(len(b), 600))] = self.r.choice(b"\0\r\n :;\x7f\xff0aG,/")
                head, data = bytes(b), b""
            if p.expect and self.r.random() < .5:
                if not self.push(head):
                    return self.break_off()
                time.sleep(.02)
                if not self.push(data):
                    return self.break_off()
            elif not self.push(head + data):
                return self.break_off()
        if self.abort == "half":
            hang_up(self.sock)

    def break_off(self):
        if self.abort == "rst":
            self.dead = True
            reset_now(self.sock)
        elif self.abort == "close":
            self.dead = True
            hang_up(self.sock)
            quiet(libc.shutdown, self.sock.fileno(), 2)
        elif self.abort in ("fin", "half"):
            hang_up(self.sock)
        # "stop": says nothing any more

    def read(self, plans):
        rd = Reader(self.sock, self.slow)
        for i, p in enumerate(plans):
            if not self.answer(rd, p, i):
                return
            self.run.answered += 1
            self.may.release()
        if self.r.random() < .5:
            return
        time.sleep(self.r.choice([0, .01, .1]))

    def answer(self, rd, p, i):
        try:
            return self.answer_of(rd, p)
        except Bad:
            if (self.front.mode == "tcp" or self.run.lax) and p.fault in ("junk", "extra"):
                return False
            raise

    def answer_of(self, rd, p):
        run = self.run
        while True:
            start, fields = rd.head()
            m = re.match(rb"^HTTP/1\.([01]) (\d\d\d) ?(.*)$", start)
            if not m:
                raise Bad("status line %r" % start)
            status = int(m[2])
            if status >= 200 or status == 101:
                break
            who = values(fields, b"x-interim")
            if who and who[0].decode() != p.ident:
                raise Bad("interim of %r for %s" % (who, p.ident))
        ids = values(fields, b"x-id")
        own = not ids
        if self.front.mode == "tcp" and ids == [b"smuggled"]:
            return False
        if ids and (len(ids) != 1 or ids[0].decode() != p.ident):
            raise Bad("answer of %r for %s" % (ids, p.ident))
        frame = framing(fields)
        head = p.method == "HEAD"
        run.seen[status, own] = run.seen.get((status, own), 0) + 1
        if status == 101 or (p.method == "CONNECT" and status == 200 and ids):
            return self.through(rd, p)
        if head or status in (204, 304):
            frame = 0
        elif frame is None:
            frame = "close"
        conn = b",".join(values(fields, b"connection")).lower()
        keeps = b"close" not in conn and frame != "close" and (m[1] == b"1" or b"keep-alive" in conn)
        if own:
            n = [0]

            def sink(piece):
                n[0] += len(piece)
                if n[0] > 4000000:
                    raise Bad("endless answer")
                if re.search(rb"\d{8}\n.{7}\d{8}\n", piece, re.S) and not run.echoes:
                    raise Bad("a server's bytes in an answer of the program: %r" % piece[:100])
            body(rd, frame, sink)
        else:
            check = Checker(p, "s", (values(fields, b"content-encoding") or [None])[0])
            check.lenient = run.changes_bodies and self.tunnel
            body(rd, frame, check)
            cut = p.fault in ("fin",) and p.res_frame == "close" or \
                self.front.mode == "tcp" and frame == "close"     # FIN, when a timeout has come
            if run.tls_back and p.fault in ("fin", "rst", "resetreq"):
                cut = True
            if frame != 0 and not run.changes_bodies and check.at != p.res_size and \
                    not (cut and check.at < p.res_size):
                raise Bad("%s: whole answer has %d bytes of %d" % (p.ident, check.at, p.res_size))
        return keeps

    def through(self, rd, p):
        """A tunnel."""
        t = threading.Thread(target=quiet, args=(self.tell, p), daemon=True)
        t.start()
        check = Checker(p, "S")
        body(rd, "close", check)
        t.join(HOLD)
        self.run.tunnels += 1
        return False

    def tell(self, p):
        self.pieces = "some"
        self.abort_at = 1 << 60
        self.push(p.body("Q", 0, p.req_size + 1000))
        hang_up(self.sock)


class Front:
    def __init__(self, port, tls, proxy):
        self.port, self.tls, self.proxy, self.gateway = port, tls, proxy, None
