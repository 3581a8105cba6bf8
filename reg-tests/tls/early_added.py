# SPDX-License-Identifier: BSD-2-Clause
"""What early_added.sh describes."""

import early
from early_lib import addresses, ask, before_finished, check, folder, get

lists, = addresses
said = ask(f"add ssl crt-list {folder}/list <<\n{folder}/pem [allow-0rtt] early.example.com\n")
check("a name is added", "Success" in said, said)
for i in range(4):
    c, said = before_finished(lists, get("/added"), name=b"early.example.com")
    check("a request of an added name is answered before the client has finished", b"GET /added" in said, said)
    check("and is marked", b"\nearly-data: 1\r" in said, said)
    c.close()
session, said = early.session(lists, get("/first"), name=b"late.example.com")
check("the others have none", early.lib.SSL_SESSION_get_max_early_data(session) == 0)
