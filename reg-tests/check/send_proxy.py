# SPDX-License-Identifier: BSD-2-Clause
"""What send_proxy.sh describes."""

import socket
import struct

from service import Service, address, check, finish

service = Service("what", "ports")
SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"


def heard(port):
    """What a check says, and between which ports."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(10)
    s, peer = listener.accept()
    s.settimeout(60)
    said = b""
    while not said.endswith(b"hello") and (piece := s.recv(100)):
        said += piece
    listener.close()
    return said, peer[1]


def line(port, of):
    return f"PROXY TCP4 127.0.0.1 127.0.0.1 {of} {port}\r\n".encode()


two, three, four, five = map(int, service.args.ports.split())
one = address(service.args.back)[1]
for name, port in ("send-proxy", one), ("check-send-proxy", two):
    said, of = heard(port)
    check(f"{name}: {said}", said == line(port, of) + b"hello")
said, of = heard(three)
home = socket.inet_aton("127.0.0.1")
if service.args.what == "LOCAL":
    want = SIGNATURE + b"\x20\0\0\0"
else:
    want = SIGNATURE + b"\x21\x11\0\x0c" + home + home + struct.pack(">HH", of, three)
check(f"send-proxy-v2, {service.args.what}: {said}", said == want + b"hello")
for name, port in ("without the word", four), ("checks at another port, without check-send-proxy", five):
    said, _ = heard(port)
    check(f"{name}: {said}", said == b"hello")
finish()
