# SPDX-License-Identifier: BSD-2-Clause
"""Streams that the kernel relay does not take, or breaks off, and why; called by the scripts
kernel_*.sh that name one of the words at the end."""

import ctypes
import os
import platform
import re
import socket
import struct

from kernel import Pair
from service import Service, check, finish, until
from sockets import any_server

BPF = {"x86_64": 321, "aarch64": 280}.get(platform.machine())
PIDFD_OPEN, PIDFD_GETFD = 434, 438
MAP_CREATE, MAP_LOOKUP, MAP_UPDATE, PROG_LOAD, PROG_ATTACH = 0, 1, 2, 5, 8
ARRAY, SOCKMAP, SK_SKB, VERDICT = 2, 15, 14, 5
ROUTE_BYTES, NEXT_SEQ, SYNCED = 128, 32, 36  # struct sockmap_route

libc = ctypes.CDLL(None, use_errno=True)


def call(number, *arguments):
    value = libc.syscall(number, *arguments)
    if value < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return value


def bpf(command, form, *values):
    attribute = ctypes.create_string_buffer(struct.pack("<" + form, *values), 128)
    return call(BPF, command, attribute, 128)


def place(data):
    return ctypes.addressof(data)


def descriptors(pid, kind):
    """Copies of the descriptors of another process whose link says that."""
    pidfd = call(PIDFD_OPEN, pid, 0)
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            if kind in os.readlink(f"/proc/{pid}/fd/{name}"):
                yield int(name), call(PIDFD_GETFD, pidfd, int(name), 0)
        except FileNotFoundError:
            pass
    os.close(pidfd)


def capture(service, ours):
    """Another program puts the relay's socket that is connected to ours into a map of its own."""
    code = ctypes.create_string_buffer(struct.pack("<BBhiBBhi", 0xB7, 0, 0, 1, 0x95, 0, 0, 0))  # return SK_PASS
    licence = ctypes.create_string_buffer(b"GPL")
    program = bpf(PROG_LOAD, "IIQQ44xI", SK_SKB, 2, place(code), place(licence), VERDICT)
    taken = bpf(MAP_CREATE, "IIIII", SOCKMAP, 4, 4, 1, 0)
    bpf(PROG_ATTACH, "III", taken, program, VERDICT)
    for _, fd in descriptors(service.pid, "socket:"):
        s = socket.socket(fileno=fd)
        try:
            if s.family == socket.AF_INET and s.getpeername() == ours.getsockname():
                key, value = ctypes.c_uint32(0), ctypes.c_uint32(fd)
                bpf(MAP_UPDATE, "IxxxxQQQ", taken, place(key), place(value), 0)
                return
        except OSError:
            pass  # one that listens
        finally:
            s.close()
    check("the relay has such a socket", False)


def routes_of(service):
    """Copies of the maps in which each direction has a route: one that belongs to this process."""
    for name, fd in descriptors(service.pid, "bpf-map"):
        with open(f"/proc/{service.pid}/fdinfo/{name}", encoding="utf-8") as f:
            said = dict(re.findall(r"^(\w+):\s*(\d+)", f.read(), re.M))
        if (said.get("map_type"), said.get("value_size")) == (str(ARRAY), str(ROUTE_BYTES)):
            return fd
    return -1


def exchanges(pair, count=40):
    return all(pair.exchange(b"q" * 100, b"a" * 100) for _ in range(count))


def unfit(service, **words):
    pair = Pair(service, **words)
    check("exchanges are unharmed", exchanges(pair))
    check("bulk, too", pair.exchange(b"q" * 1000000, b"a" * 1000000))
    info = service.info()
    check("no kernel relay", info["KernelRelays"] == "0" and info["KernelBytes"] == "0")
    check(f"KernelFallbackUnfit is {info['KernelFallbackUnfit']}", info["KernelFallbackUnfit"] == "1")


def unfit_tls(service):
    context = any_server()
    unfit(service, wrap=context.wrap_socket)


def no_place(service):
    """A place rests for a second behind its stream: of many short ones some find none."""

    def none_left():
        for pair in [Pair(service) for _ in range(4)]:
            check("all exchanges are unharmed", exchanges(pair, 12))
            pair.client.close()
            pair.server.close()
        return service.info()["KernelFallbackNoPlace"] != "0"

    until("KernelFallbackNoPlace counts", none_left)
    check("others had one", service.info()["KernelRelays"] != "0")


def refused(service):
    pair = Pair(service)
    pair.exchange()
    capture(service, pair.client)
    check("exchanges are unharmed", exchanges(pair))
    info = service.info()
    check(f"KernelFallbackRefused is {info['KernelFallbackRefused']}", info["KernelFallbackRefused"] == "1")
    check("no kernel relay", info["KernelRelays"] == "0")


def is_reset(s):
    try:
        s.recv(1)
        return False
    except ConnectionResetError:
        return True


def lose(service):
    """What the program awaits next is not what comes, as if bytes had been lost."""
    routes, changed = routes_of(service), 0
    for number in range(64):
        key, value = ctypes.c_uint32(number), ctypes.create_string_buffer(ROUTE_BYTES)
        bpf(MAP_LOOKUP, "IxxxxQQQ", routes, place(key), place(value), 0)
        if struct.unpack_from("<I", value, SYNCED)[0]:
            struct.pack_into("<I", value, NEXT_SEQ, (struct.unpack_from("<I", value, NEXT_SEQ)[0] + 50000) % 2**32)
            bpf(MAP_UPDATE, "IxxxxQQQ", routes, place(key), place(value), 0)
            changed += 1
    check(f"{changed} routes were changed", changed >= 2)  # those of the trial at the start among them


def faults(service):
    """Whoever does not get all bytes sees a reset, never an end."""
    for n, (sender, receiver) in enumerate((("client", "server"), ("server", "client")), 1):
        pair = Pair(service).taken_over()
        check("exchanges are unharmed", exchanges(pair))  # both directions have seen segments
        lose(service)
        getattr(pair, sender).sendall(b"lost")
        check(f"the {receiver} is reset", is_reset(getattr(pair, receiver)))
        until(f"KernelFaults is {n}", lambda: service.info()["KernelFaults"] == str(n))
    pair = Pair(service).taken_over()
    check("the next stream is unharmed", exchanges(pair))


def proxied(service):
    """A header that comes first and one that is sent first go by the process, what follows by the
    kernel."""
    header = b"PROXY TCP4 192.0.2.1 192.0.2.2 1000 2000\r\n"
    pair = Pair(service, heads=(header + b"hello\r\n\r\n", b"hello\r\n\r\n"))
    check("exchanges are unharmed", exchanges(pair, 500))
    info = service.info()
    check(f"KernelBytes is {info['KernelBytes']}", info["KernelRelays"] == "1" and int(info["KernelBytes"]) > 90000)
    with open(service.log, encoding="utf-8", errors="replace") as f:
        check("no warning", "WARNING" not in f.read())


def without_rights(service):
    with open(f"/proc/{service.pid}/status", encoding="utf-8") as f:
        said = dict(re.findall(r"^(\w+):\s*(\w+)", f.read(), re.M))
    check(f"the user is {said['Uid']}, rights are {said['CapEff']}", said["Uid"] != "0" and int(said["CapEff"], 16) == 0)
    pair = Pair(service).taken_over()
    check("exchanges are unharmed", exchanges(pair, 500))


def main():
    tests = {f.__name__: f for f in (unfit, unfit_tls, no_place, refused, faults, proxied, without_rights)}
    service = Service(lambda parser: parser.add_argument("--test", choices=tests))
    tests[service.args.test](service)
    finish()


main()
