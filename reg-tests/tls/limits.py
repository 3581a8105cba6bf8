# SPDX-License-Identifier: BSD-2-Clause
"""What limits.sh describes."""

import socket
import ssl
import subprocess
import sys
import time
front, back, tool, stats, to = sys.argv[1:6]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
context.check_hostname, context.verify_mode = False, ssl.CERT_NONE


def ask(command):
    return subprocess.run([tool, "-s", stats, "ask", command], capture_output=True, text=True).stdout


def info(field):
    return int([l for l in ask("show info").split("\n") if l.startswith(field + ":")][0].split()[1])


def until(what, condition):
    end = time.monotonic() + 60
    while not condition():
        if time.monotonic() > end:
            sys.exit("FAILED  " + what)
        time.sleep(0.01)
    print("ok      " + what)


def plain(to):
    host, port = to.rsplit(":", 1)
    s = socket.create_connection((host, int(port)))
    s.settimeout(60)
    return s


def check(what, good):
    print(("ok      " if good else "FAILED  ") + what)
    if not good:
        sys.exit(1)


held = [context.wrap_socket(plain(front)) for _ in range(5)]
until("five have TLS", lambda: info("CurrSslConns") == 5)
waiting = [plain(front) for _ in range(20)]
s = plain(back)
s.sendall(b"GET / HTTP/1.0\r\n\r\n")
check("others are served", s.recv(100).startswith(b"HTTP/1."))
s = plain(to)
s.sendall(b"GET / HTTP/1.0\r\n\r\n")
check("no connection to a server is made", s.recv(100).startswith(b"HTTP/1.1 500 "))
until("the log has why", lambda: "server to/s: maxsslconn (5) is reached" in ask("show events lines"))
until("and whose fault it was", lambda: " 500 " in ask("show events lines") and " RC-- " in ask("show events lines"))
check("there are no more than five", info("CurrSslConns") == 5 and info("CumSslConns") == 5)
check("of five a second", info("MaxSslConns") == 5 and info("MaxSslRate") >= 1)
for s in held:
    s.close()
for s in waiting:
    context.wrap_socket(s).close()
until("the others had their turn", lambda: info("CumSslConns") == 25)
until("all have gone", lambda: info("CurrSslConns") == 0)

ask("set rate-limit ssl-sessions global 10")
check("the rate is set", info("SslRateLimit") == 10)
began, first = time.monotonic(), info("CumSslConns")
for _ in range(40):
    context.wrap_socket(plain(front)).close()
# Ten in any second, and what came in the second before counts.
check("forty take three seconds at least", time.monotonic() - began >= 2.9)
check("no second had more", info("SslRate") <= 10)
