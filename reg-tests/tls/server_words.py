# SPDX-License-Identifier: BSD-2-Clause
"""What server_words.sh describes."""

import sys

from service import check, finish
from visits import get

front = sys.argv[1]


def shows(to, **wanted):
    status, said, body = get(front, to)
    good = status == 200 and all(said.get(k) == v for k, v in wanted.items())
    check(f"{to}: {wanted}", good, (status, body))


def fails(to):
    status, said, body = get(front, to)
    check(f"{to}: no connection", status == 503, (status, body))


shows("nossl", plain="yes")
shows("usual", sni="", version="TLSv1.3", alpn="", crt="")
shows("named", sni="www.example.com")
shows("asked", sni="www.example.com")
shows("alpn", alpn="http/1.1")  # the server's order counts
shows("min", version="TLSv1.3")
shows("max", version="TLSv1.2")
shows("force12", version="TLSv1.2")
shows("force13", version="TLSv1.3")
shows("no13", version="TLSv1.2")
shows("no12", version="TLSv1.3")
shows("ciphers", cipher="ECDHE-ECDSA-CHACHA20-POLY1305")
shows("suites", cipher="TLS_CHACHA20_POLY1305_SHA256")
fails("sigalgs")  # its certificate is of another kind
shows("crt", crt="client")
shows("signs", crt="client")
shows("signs_otherwise", crt="")  # it has nothing to sign with
shows("curves", version="TLSv1.3")
fails("other_curves")
for to in "usual", "max", "ids", "tickets", "reuse":
    if to not in ("usual", "max"):
        shows(to, resumed="0")
    shows(to, resumed="1")
for i in range(3):
    shows("fresh", resumed="0")
shows("anyhost", version="TLSv1.3")
fails("host")
finish()
