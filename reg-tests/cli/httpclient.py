# SPDX-License-Identifier: BSD-2-Clause
"""
The test of httpclient.sh: a server is asked that says nothing.
"""

import socket
import threading

from origin import serve_each
from service import Service, connect, finish, until

service = Service()
asked, left = threading.Semaphore(0), threading.Semaphore(0)


def silent(s):
    try:
        while s.recv(65536):
            asked.release()
    finally:
        left.release()


def ends_with_its_client(halves):
    s = connect(service.args.stats)
    s.sendall(f"expert-mode on; set timeout cli 1s; httpclient GET http://{service.args.back}/\n".encode())
    until("a server that says nothing is asked", lambda: asked.acquire(timeout=1))
    if halves:
        s.shutdown(socket.SHUT_WR)
        service.ask("show info")  # that is seen before this
    s.close()
    until("it ends with its client", lambda: left.acquire(timeout=1))


serve_each(service.args.back, silent)
ends_with_its_client(halves=False)
ends_with_its_client(halves=True)
finish()
