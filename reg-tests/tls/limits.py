# SPDX-License-Identifier: BSD-2-Clause
"""What limits.sh describes."""

import sys
import time

from service import ask, check, connect, finish, until
from sockets import any_server
front, back, tool, stats, to = sys.argv[1:6]
context = any_server()


def info(field):
    return int([l for l in ask(stats, "show info").split("\n") if l.startswith(field + ":")][0].split()[1])


held = [context.wrap_socket(connect(front)) for _ in range(5)]
until("five have TLS", lambda: info("CurrSslConns") == 5)
waiting = [connect(front) for _ in range(20)]
s = connect(back)
s.sendall(b"GET / HTTP/1.0\r\n\r\n")
check("others are served", s.recv(100).startswith(b"HTTP/1."))
s = connect(to)
s.sendall(b"GET / HTTP/1.0\r\n\r\n")
check("no connection to a server is made", s.recv(100).startswith(b"HTTP/1.1 500 "))
until("the log has why", lambda: "server to/s: maxsslconn (5) is reached" in ask(stats, "show events lines"))
until("and whose fault it was", lambda: " 500 " in ask(stats, "show events lines") and " RC-- " in ask(stats, "show events lines"))
check("there are no more than five", info("CurrSslConns") == 5 and info("CumSslConns") == 5)
check("of five a second", info("MaxSslConns") == 5 and info("MaxSslRate") >= 1)
for s in held:
    s.close()
for s in waiting:
    context.wrap_socket(s).close()
until("the others had their turn", lambda: info("CumSslConns") == 25)
until("all have gone", lambda: info("CurrSslConns") == 0)

ask(stats, "set rate-limit ssl-sessions global 10")
check("the rate is set", info("SslRateLimit") == 10)
began, first = time.monotonic(), info("CumSslConns")
for _ in range(40):
    context.wrap_socket(connect(front)).close()
# Ten in any second, and what came in the second before counts.
check("forty take three seconds at least", time.monotonic() - began >= 2.9)
check("no second had more", info("SslRate") <= 10)
finish()
