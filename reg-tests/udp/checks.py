# SPDX-License-Identifier: BSD-2-Clause
"""See checks.sh."""

import socket
import struct
import threading

from service import Service, check, finish, until

service = Service(lambda p: p.add_argument("--server", type=int))
QUESTION = b"\1\0\0\1\0\0\0\0\0\0\3www\7example\3com\0\0\1\0\1"
mode = "none"
seen = set()


def answer(data):
    """What the server says to it in the present mode; None: nothing."""
    if data[2:] == QUESTION:
        seen.add("dns")
        code = {"well": 0, "no name": 3, "fails": 2, "refuses": 5}.get(mode)
        if mode == "wrong":
            return bytes([data[0] ^ 1]) + data[1:2] + b"\x81\x80" + data[4:]
        return None if code is None else data[:2] + bytes([0x81, 0x80 + code]) + data[4:]
    if len(data) == 48 and data[0] == 0x23:
        seen.add("ntp")
        first, stratum = {"well": (0x24, 2), "fails": (0xe4, 2), "refuses": (0x24, 0)}.get(mode, (0, 0))
        return struct.pack("BB", first, stratum) + bytes(22) + data[40:] + bytes(16) if first else None
    if data == b"ping":
        seen.add("talk")
        return {"well": b"a pong", "fails": b"no"}.get(mode)
    if data[:16] == b"\r\n\r\n\0\r\nQUIT\n\x20\0\0\0" and data[16:] == b"behind":
        seen.add("headed")
        return {"well": b"well"}.get(mode)
    if data[:14] == b"\r\n\r\n\0\r\nQUIT\n\x20\0" and data[23:].endswith(QUESTION[2:]) and data[16] == 3:
        seen.add("signed")
        question = data[23:]
        return question[:2] + b"\x81\x80" + question[4:] if mode == "well" else None
    if data == b"\0\xff":
        seen.add("silent")
    if data.startswith(b"<46>1 "):
        seen.add("log")
    return None


def serve(s):
    while True:
        try:
            data, who = s.recvfrom(2000)
        except OSError:
            return
        if data == b"end":
            return
        said = answer(data)
        if said is not None:
            s.sendto(said, who)


def start():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind(("127.0.0.1", service.args.server))
    thread = threading.Thread(target=serve, args=(s,))
    thread.start()
    return s, thread


def stop(s, thread):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
        own.sendto(b"end", ("127.0.0.1", service.args.server))
    thread.join()
    s.close()


def last(section):
    row = service.stat(section, "s")
    return row["status"].split()[0], row["check_status"].lstrip("* "), row["last_chk"]


def becomes(sentence, section, state, status, text=""):
    until(f"{section}: {sentence}",
          lambda: last(section)[:2] == (state, status) and text in last(section)[2])


for section in "dns", "ntp", "talk", "silent", "log":
    becomes("nobody is there", section, "DOWN", "L4CON", "Connection refused")
server = start()
mode = "well"
for section in "dns", "ntp", "talk", "headed", "signed":
    becomes("it answers well", section, "UP", "L7OK")
for section in "silent", "log":
    becomes("it keeps silent, as it may", section, "UP", "L4OK")
mode = "no name"
becomes("a name that does not exist is an answer", "dns", "UP", "L7OK", "NXDOMAIN")
mode = "fails"
becomes("an error is none", "dns", "DOWN", "L7STS", "SERVFAIL")
becomes("no time to give", "ntp", "DOWN", "L7STS", "not synchronized")
becomes("other words", "talk", "DOWN", "L7RSP")
mode = "refuses"
becomes("another error", "dns", "DOWN", "L7STS", "REFUSED")
becomes("kiss of death", "ntp", "DOWN", "L7STS", "left alone")
mode = "well"
becomes("it is well again", "dns", "UP", "L7OK")
mode = "wrong"
becomes("an answer to something else is as none", "dns", "DOWN", "L7TOUT")
becomes("silence is none", "talk", "DOWN", "L7TOUT")
check("each section asks in its own words", seen == {"dns", "ntp", "talk", "silent", "log", "headed", "signed"})
stop(*server)
becomes("its host refuses", "silent", "DOWN", "L4CON")
becomes("its host refuses", "log", "DOWN", "L4CON")
finish()
