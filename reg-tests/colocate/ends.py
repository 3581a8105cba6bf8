# SPDX-License-Identifier: BSD-2-Clause
"""Both ends of connections that penstock colocate pairs; one claim a run. Run in the control group."""
import argparse
import fcntl
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import time

from sockets import reset

TCP_INFO, SO_MEMINFO, EPOLLMSG = 11, 55, 0x400
args = None


def expect(held, what):
    if not held:
        sys.exit(f"{args.claim}: {what}")


def fact(name):
    said = subprocess.run([args.penstock, "colocate", "status", "--pins", args.pins], capture_output=True, text=True,
                          check=True).stdout
    return next(line.split(": ")[1] for line in said.splitlines() if line.startswith(name + ":"))


def status(name):
    return int(fact(name))


def listen(family=socket.AF_INET, host="127.0.0.1"):
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((host, args.port))
    listener.listen(1)
    return listener


def enter(group):
    with open(os.path.join(group, "cgroup.procs"), "w") as f:
        f.write("0")


class Pair:
    """A connection; both ends wait by epoll with these events, unless there are none."""

    def __init__(self, events=select.EPOLLIN, family=socket.AF_INET, host="127.0.0.1", listener=None):
        listener = listener or listen(family, host)
        self.a = socket.create_connection((host, args.port))
        self.b, _ = listener.accept()
        listener.close()
        self.poll = select.epoll()
        for s in (self.a, self.b):
            s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            s.setblocking(False)
            if events:
                self.poll.register(s, events)
        self.mark = received(self.b)

    def by_tcp(self):
        """Bytes that b got from TCP since it was opened."""
        return received(self.b) - self.mark

    def close(self):
        self.a.close()
        self.b.close()


def received(s):
    return struct.unpack_from("Q", s.getsockopt(socket.IPPROTO_TCP, TCP_INFO, 256), 128)[0]


def memory(s):
    """Bytes that wait to be read, as the kernel charges them."""
    return struct.unpack_from("I", s.getsockopt(socket.SOL_SOCKET, SO_MEMINFO, 64))[0]


def until(what, seconds=20):
    end = time.time() + seconds
    while not what():
        if time.time() > end:
            return False
        time.sleep(0.005)
    return True


def recv_all(s, size):
    got = b""
    while len(got) < size:
        if not select.select([s], [], [], 20)[0]:
            sys.exit(f"{args.claim}: only {len(got)} of {size} bytes come")
        piece = s.recv(1 << 20)
        if not piece:
            break
        got += piece
    return got


def queued(p, data=b"queued"):
    """Whether data go from a to b without TCP; they are read."""
    before = p.by_tcp()
    p.a.sendall(data)
    expect(recv_all(p.b, len(data)) == data, "what was sent comes")
    return p.by_tcp() == before


def is_paired():
    p = Pair()
    expect(queued(p), "the first message is queued")
    p.b.sendall(b"answer")
    expect(recv_all(p.a, 6) == b"answer" and received(p.a) == 0, "the answer is queued")
    expect(status("ends-paired") == 2, "both ends are paired")
    p.close()
    expect(until(lambda: status("ends-paired") == 0), "closed ends leave")
    expect(status("ends-closed") == 2 and status("queued-messages") == 2, "they are counted")


def family_v6():
    expect(queued(Pair(family=socket.AF_INET6, host="::1")), "IPv6 is queued")
    p = Pair(family=socket.AF_INET6, host="::ffff:127.0.0.1")
    expect(queued(p), "IPv4 in IPv6 is queued")


def is_bounded():
    """The receiver does not read."""
    for size in (1, 100, 3000, 50000):
        p, data, sent = Pair(), bytes(i % 251 for i in range(size)), 0
        ring, queue = args.ring << 10, 0
        try:
            for n in range(3000):
                sent += p.a.send(data)
                if not p.by_tcp():
                    queue = sent
                    expect(memory(p.b) <= ring, f"{memory(p.b)} bytes wait, {ring} may")
        except BlockingIOError:
            pass
        expect(0 < queue <= ring and queue <= 272 * size, f"{queue} bytes were queued")
        expect(until(lambda: p.by_tcp() > 0), "TCP has the rest")
        whole = data * (sent // size) + data[:sent % size]
        expect(recv_all(p.b, sent) == whole, "all comes, in order")
        # a message behind a piece that TCP took in part goes the same way, without being looked at
        expect(queued(p) or queued(p), "behind it the queue is used again")
        p.close()


def stops_its_sender():
    p, sent = Pair(), 0
    p.a.setblocking(True)
    p.a.settimeout(1)
    try:
        while True:
            sent += p.a.send(bytes(16000))
    except TimeoutError:
        pass
    expect(sent < 32 << 20, f"{sent} bytes were taken for a receiver that does not read")
    expect(recv_all(p.b, sent) == bytes(sent), "all comes")


def the_end_comes_last():
    p = Pair()
    expect(queued(p), "it is queued")
    p.a.sendall(b"last")
    p.a.shutdown(socket.SHUT_WR)
    expect(until(lambda: any(e & select.EPOLLIN for _, e in p.poll.poll(1))), "it is told")
    expect(p.b.recv(2, socket.MSG_PEEK) == b"la" and p.b.recv(3) == b"las", "bytes are first")
    expect(p.b.recv(9) == b"t" and p.b.recv(9) == b"" and p.b.recv(9) == b"", "then the end")
    p.b.sendall(b"half")
    expect(recv_all(p.a, 4) == b"half", "the other half goes on")
    p.b.close()
    expect(p.a.recv(9) == b"", "and ends")


def a_reset_comes():
    p = Pair()
    expect(queued(p), "it is queued")
    p.a.sendall(b"last")
    reset(p.a)
    expect(until(lambda: any(e & select.EPOLLHUP for _, e in p.poll.poll(1))), "it is told")
    expect(p.b.recv(9) == b"last", "bytes are first")
    try:
        p.b.recv(9)
        sys.exit("no reset came")
    except ConnectionResetError:
        pass


def a_closed_peer_is_told():
    p = Pair()
    expect(queued(p), "it is queued")
    p.a.sendall(b"unread")
    p.b.close()

    def broken():
        try:
            p.a.send(b"more")
        except (BrokenPipeError, ConnectionResetError):
            return True
        return False
    expect(until(broken), "the sender is told")


def readers():
    """Who reads in a way that does not go with the queue is left to TCP."""
    edge = select.EPOLLIN | select.EPOLLET
    p = Pair(events=edge)
    expect(not queued(p) and not queued(p), "edge-triggered readers are left alone")
    expect(queued(Pair(events=edge | EPOLLMSG)), "those who say that they read to the end are served")
    p = Pair(events=0)
    expect(not queued(p), "nobody waits")
    expect(status("reader-unfit") >= 3, "it is counted")
    blocking_reader()


def low_water():
    """SO_RCVLOWAT is seen with the next message, also where the queue was used."""
    p = Pair()
    expect(queued(p), "it is queued")
    p.b.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, 100)
    p.a.sendall(bytes(60))
    expect(until(lambda: p.by_tcp() == 60), "TCP has it")
    expect(not p.poll.poll(0.05), "too little is not told")
    p.a.sendall(bytes(60))
    expect(len(recv_all(p.b, 120)) == 120 and p.by_tcp() == 120, "enough is")


def urgent_data():
    """Receivers that ask for urgent data are left to TCP, which knows them."""
    urgent = select.EPOLLIN | select.EPOLLPRI
    p = Pair(events=urgent)
    p.a.sendall(b"some")
    p.a.send(b"!", socket.MSG_OOB)
    expect(until(lambda: any(e & select.EPOLLPRI for _, e in p.poll.poll(1))), "it is told")
    expect(p.b.recv(9) == b"some" and p.b.recv(1, socket.MSG_OOB) == b"!", "it comes beside the others")
    p = Pair()
    signalled = []
    signal.signal(signal.SIGURG, lambda *_: signalled.append(1))
    fcntl.fcntl(p.b, fcntl.F_SETOWN, os.getpid())
    p.a.sendall(b"some")
    p.a.send(b"!", socket.MSG_OOB)
    expect(until(lambda: signalled), "the signal comes")
    expect(p.b.recv(9) == b"some" and p.b.recv(1, socket.MSG_OOB) == b"!", "and the byte")


def blocking_child(p, reads):
    """A process that calls reads(its end, a pipe to tell by); the process and the pipe's other end."""
    told, tells = os.pipe()
    p.b.setblocking(True)
    child = os.fork()
    if not child:
        os.close(told)
        try:
            reads(p.b, tells)
        except OSError as e:
            print(e, flush=True)
            os._exit(1)
        os._exit(0)
    os.close(tells)
    return child, told


def sleeps(child):
    """Whether it waits within a system call; False also when it has ended."""
    return until(lambda: open(f"/proc/{child}/wchan").read() not in ("0", "", "do_exit"), 5)


def who_polls_and_blocks():
    """Polls once, blocks later: a signal restarts its recv, MSG_WAITALL waits for all."""
    def reads(s, tells):
        os.set_blocking(tells, False)
        signal.set_wakeup_fd(tells)  # the number of a signal, at once
        signal.signal(signal.SIGUSR1, lambda *_: None)
        signal.siginterrupt(signal.SIGUSR1, False)
        os.write(tells, b"p")
        select.select([s], [], [])
        if s.recv(9) != b"queued":
            os._exit(2)
        os.write(tells, b"r")
        if s.recv(9) != b"again":
            os._exit(3)
        os.write(tells, b"w")
        select.select([s], [], [])
        if s.recv(9, socket.MSG_WAITALL) != b"all of it":
            os._exit(4)
    p = Pair(events=0)
    child, told = blocking_child(p, reads)
    expect(os.read(told, 1) == b"p" and sleeps(child), "it polls")
    p.a.sendall(b"queued")
    expect(os.read(told, 1) == b"r" and sleeps(child), "it blocks")
    os.kill(child, signal.SIGUSR1)
    expect(os.read(told, 1) == bytes([signal.SIGUSR1]) and sleeps(child), "it blocks again behind a signal")
    p.a.sendall(b"again")
    expect(os.read(told, 1) == b"w" and sleeps(child), "it polls again")
    p.a.sendall(b"all ")
    expect(sleeps(child), "it waits for the rest")
    p.a.sendall(b"of it")
    expect(os.waitpid(child, 0)[1] == 0, "it gets what it asked for")
    expect(p.by_tcp() == 20, "by TCP")


def who_blocks_later():
    """A file that blocks from now on is seen with one of the next messages."""
    p = Pair()
    expect(queued(p), "it is queued")
    p.b.setblocking(True)
    for n in range(17):
        queued(p)
    expect(not queued(p), "then TCP has it")


def blocking_reader():
    def reads(s, _):
        for n in range(50):
            if s.recv(6, socket.MSG_WAITALL) != b"queued":
                os._exit(1)
    p = Pair(events=0)
    child, _ = blocking_child(p, reads)
    for n in range(50):
        sleeps(child)
        p.a.sendall(b"que")
        p.a.sendall(b"ued")
    expect(os.waitpid(child, 0)[1] == 0, "a blocking reader gets all it waits for")
    expect(p.by_tcp() == 300, "by TCP")


def threads_of_one_socket():
    """Several senders of one socket: each message stays whole."""
    import threading
    p, got = Pair(), b""

    def send(letter):
        for n in range(300):
            p.a.sendall(letter * (1 + n % 50))
    p.a.setblocking(True)
    threads = [threading.Thread(target=send, args=(bytes([65 + i]),)) for i in range(4)]
    for t in threads:
        t.start()
    got = recv_all(p.b, 4 * sum(1 + n % 50 for n in range(300)))
    for t in threads:
        t.join()
    for i in range(4):
        expect(got.count(bytes([65 + i])) == sum(1 + n % 50 for n in range(300)), "a letter is missing")


def an_older_listener():
    """A socket stays in the group in which it was opened, whatever becomes of its process."""
    enter(os.path.dirname(args.cgroup))
    listener = listen()
    enter(args.cgroup)
    expect(fact("listeners-outside") == str(args.port), "the status names its port")
    p = Pair(listener=listener)
    expect(not queued(p), "it is left to TCP")
    expect(status("ends-alone") == 1, "the client's end is alone")
    p.close()
    expect(fact("listeners-outside") == "none", "it is gone")
    listener = listen()
    expect(fact("listeners-outside") == "none", "one that was opened in the group is not named")
    expect(queued(Pair(listener=listener)), "and its connections are paired")


def sendfile_works():
    p = Pair()
    path = os.path.join(os.path.dirname(args.pins), "..", "file")
    data = os.urandom(1 << 20)
    with open(path, "wb+") as f:
        f.write(data)
        f.flush()
        sent, got = 0, b""
        while sent < len(data) or len(got) < len(data):
            try:
                sent += os.sendfile(p.a.fileno(), f.fileno(), sent, 1 + sent % 60000)
            except BlockingIOError:
                pass
            try:
                got += p.b.recv(30000)
            except BlockingIOError:
                pass
    expect(got == data, "a file passes")


def disabled_under_traffic():
    p = Pair()
    expect(queued(p), "it is queued")
    p.a.sendall(b"before ")
    subprocess.run([args.penstock, "colocate", "disable", "--pins", args.pins], check=True,
                   stdout=subprocess.DEVNULL)
    p.a.sendall(b"after")
    expect(recv_all(p.b, 12) == b"before after", "what was queued is read first")
    expect(p.by_tcp() == 5 and not queued(p), "TCP has it from now on")
    expect(not queued(Pair()), "new ones are not paired")


def main():
    global args
    p = argparse.ArgumentParser()
    p.add_argument("claim")
    for word in ("--penstock", "--pins", "--cgroup"):
        p.add_argument(word)
    p.add_argument("--port", type=int)
    p.add_argument("--ring", type=int, default=64)
    args = p.parse_args()
    globals()[args.claim]()


main()
