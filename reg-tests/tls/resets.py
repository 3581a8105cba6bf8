# SPDX-License-Identifier: BSD-2-Clause
"""What resets.sh describes."""

import socket
import sys

from origin import listen
from service import check, connect, finish
from sockets import any_server, reset, server_with

web, front, plain, back, pem = sys.argv[1:]
context = server_with(pem)


listener = listen(back)
listener.settimeout(60)


def accept():
    peer = listener.accept()[0]
    peer.settimeout(60)
    return peer


def rest(s):
    """What comes until the end; the end's kind."""
    got = b""
    try:
        while piece := s.recv(65536):
            got += piece
            if got.endswith(b"0\r\n\r\n"):
                return got, "last chunk"
    except ConnectionResetError:
        return got, "reset"
    return got, "end"


def answered(to, end):
    """The server says the beginning of a response without a length, the client has it, then comes
    the end."""
    with connect(to) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        server = context.wrap_socket(accept(), server_side=True)
        server.recv(65536)
        server.sendall(b"HTTP/1.1 200 OK\r\n\r\nhello")
        got = b""
        while b"hello" not in got:
            got += client.recv(65536)
        end(server)
        more, how = rest(client)
        return got + more, how


def half_close(s):
    """FIN without close_notify."""
    socket.socket.shutdown(s, socket.SHUT_WR)


got, how = answered(web, reset)
check("mode http: a response that is cut by a reset has no last chunk", how == "end", how)
got, how = answered(web, half_close)
check("one that ends by FIN has", how == "last chunk", how)
got, how = answered(front, reset)
check("mode tcp: a server's reset is passed on", how == "reset")
got, how = answered(front, half_close)
check("its FIN is, too", how == "end")

trusting = any_server()
client = trusting.wrap_socket(connect(plain))
client.sendall(b"hello")
server = accept()
server.recv(65536)
server.sendall(b"hello")
client.recv(65536)
reset(client)
check("mode tcp: a client's reset is passed on", rest(server)[1] == "reset")
server.close()
finish()
