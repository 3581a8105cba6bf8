# SPDX-License-Identifier: BSD-2-Clause
"""What answer_waits.sh describes."""

import socket
import sys

front, back = int(sys.argv[1]), int(sys.argv[2])
listener = socket.create_server(("127.0.0.1", back))


def answer(behind):
    """The body's length; the client sends `behind' once the answer has begun."""
    with socket.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 256)
        s.settimeout(30)
        s.connect(("127.0.0.1", front))
        s.sendall(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n12345678")
        server, _ = listener.accept()
        while b"12345678" not in server.recv(65536):
            pass
        server.close()
        got = s.recv(1)
        s.sendall(behind)
        while data := s.recv(100):
            got += data
        return len(got.partition(b"\r\n\r\n")[2])


lengths = [answer(b"abcd" * n) for n in (0, 1, 247, 248, 249, 1000)]
print("       the bodies of the answers:", lengths)
sys.exit(lengths != [16000] * 6)
