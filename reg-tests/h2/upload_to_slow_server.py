# SPDX-License-Identifier: BSD-2-Clause
"""What upload_to_slow_server.sh describes."""

import socket
import threading

from http1 import Reader, reply
from service import Service, check, connect, finish, read_all, until

SIZE = 60000  # within the window of a stream: all of it is taken at once
service = Service()
body = bytes(i % 251 for i in range(SIZE))
host, port = service.args.back.rsplit(":", 1)
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
listener.bind((host, int(port)))
listener.listen()
go, got = threading.Event(), []


def serve():
    s = listener.accept()[0]
    s.settimeout(60)
    go.wait()
    got.append(Reader(s).message()[1])
    s.sendall(reply(b"ok", close=True))
    s.close()


thread = threading.Thread(target=serve, daemon=True)
thread.start()
with connect(service.args.front) as s:
    s.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n")
    s.sendall(b"%x\r\n%s\r\n0\r\n\r\n" % (SIZE, body))
    until("all of the body is taken", lambda: "flags=open|eof|finished" in service.ask("show sess all"))
    go.set()
    check("the server answers", read_all(s).endswith(b"\r\n\r\nok"))
thread.join(70)
check("all of it has come", got == [body])
finish()
