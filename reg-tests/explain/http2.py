# SPDX-License-Identifier: BSD-2-Clause
"""trace request of a client that begins with HTTP/2. Called by http2.sh."""
from service import check, finish
from told import connect, trace

t = trace("frontend fe")
client = connect()
# The preface, SETTINGS, HEADERS: GET, http, /, literal :authority a.
client.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0" + b"\0\0\6\1\5\0\0\0\1" + b"\x82\x86\x84\x01\1a")
said = t.all()
check("trace request passes over the preface", "fc_http_major = 2" in said and "end (LR), status 200" in said and
      "end (--)" not in said, said)
finish()
