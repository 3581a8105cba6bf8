# SPDX-License-Identifier: BSD-2-Clause
"""What malformed_logged.sh describes: the clients."""
from frames import PROTOCOL_ERROR, Client, request
from origin import Origin
from service import Service, check, finish

service = Service("errors", "bare")
args = service.args
origin = Origin(args.back)


def malformed(to, times):
    """Then a good one on the same connection."""
    c = Client(to)
    for _ in range(times):
        check("a malformed request is reset", c.ends(c.open(request(extra=[("Abc", "1")]))) == ("reset", PROTOCOL_ERROR))
    check("the next one is answered", c.ends(c.open())[0] == 200)
    c.close()


def garbage(to):
    c = Client(to, first=b"no frame of HTTP/2 at all")
    check("the connection ends", c.goaway() is not None)
    c.close()


malformed(args.front, 3)
garbage(args.front)
malformed(args.errors, 1)
garbage(args.errors)
malformed(args.bare, 1)
garbage(args.bare)
usual = service.stat("usual", "FRONTEND")
check("errors of streams are counted", int(usual["h2_detected_strm_protocol_errors"]) == 3)
check("an error of a connection, too", int(usual["h2_detected_conn_protocol_errors"]) == 1)
check("and no request but the good one", (int(usual["req_tot"]), int(usual["ereq"])) == (1, 0))
finish()
