# SPDX-License-Identifier: BSD-2-Clause
"""What debug_mode.sh describes."""

from service import Service, check, connect, finish, read_all

svc = Service()
for path, status in (b"/", b"200"), (b"/no", b"403"):
    with connect(svc.args.front) as s:
        s.sendall(b"GET %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" % path)
        check(f"{path}: {status}", read_all(s).startswith(b"HTTP/1.1 " + status))
finish()
