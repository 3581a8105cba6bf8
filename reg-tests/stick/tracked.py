# SPDX-License-Identifier: BSD-2-Clause
"""Entries that connections track, keys of any bytes, and the same answer from each worker."""
import re
import urllib.parse

from service import Service, check, connect, finish, until

service = Service()


def rows(command, number=None):
	"""Key and the rest of each row; numbers and times left out."""
	said = service.ask(command) if number is None else service.worker(number, command)
	return dict(re.findall(r"^0x[0-9a-f]+: key=(.*) use=\d+ exp=\d+ (.*)$", said, re.M))


def get(path):
	"""The body, over a connection of its own."""
	return service.fetch(path).text


# ---- what is in use ----


held = connect(service.args.front)
held.sendall(b"GET /wait HTTP/1.1\r\nHost: x\r\n")
until("a connection is tracked", lambda: " use=1 " in service.ask("show table addresses key 127.0.0.1"))
check("it cannot be removed", service.ask("clear table addresses key 127.0.0.1") ==
      "Entry currently in use, cannot remove")
service.ask("set table addresses key 192.0.2.1 data.gpc0 1")
check("all others can", service.ask("clear table addresses") == "")
check("it is left", list(rows("show table addresses")) == ["127.0.0.1"])
check("by filters neither", service.ask("clear table addresses data.gpc0 eq 0") == "" and
      list(rows("show table addresses")) == ["127.0.0.1"])
service.ask("set table addresses key 127.0.0.1 data.conn_cnt 7")
check("it can be set", "conn_cnt=7" in service.ask("show table addresses key 127.0.0.1"))
check("its trackers are counted, without who asks, but with the request", get("/trackers") == "2")
until("it expires, and is still there", lambda: " exp=0 " in service.ask("show table addresses"))
check("it counts as used", "used:1" in service.ask("show table addresses"))
held.close()
until("it goes with its connection", lambda: "used:0" in service.ask("show table addresses"))
check("nobody tracks it", get("/none") == "0")

# ---- keys of any bytes ----

ESCAPED = {9: r"\t", 10: r"\n", 13: r"\r", 27: r"\e", 32: "\\ ", 61: r"\=", 92: r"\\"}
names = {}
for first in range(0, 256, 16):
	raw = bytes(range(first, first + 16))
	get("/key?s=" + urllib.parse.quote(raw, safe=""))
	names["".join(ESCAPED.get(b, chr(b) if 32 < b < 127 else f"\\x{b:02X}") for b in raw)] = raw
get("/key?s=")
check("strings are escaped", set(rows("show table strings")) == set(names) | {""})
check("binary keys are hexadecimal, cut or filled up",
      set(rows("show table bytes")) == {r[:12].hex().upper() for r in names.values()} | {"00" * 12})
check("and found by no command", service.ask("show table bytes key 00").startswith("Showing keys from tables"))
long = "x" * 15000
get("/long?s=" + "%FE" * 1000)
check("a row may be longer than a piece",
      list(rows("show table long")) == ["\\xFE" * 1000] and "gpc99=0" in service.ask("show table long"))
service.ask("clear table long")
service.ask("set table long key " + long)
check("one entry of a long key", list(rows("show table long key " + long)) == [long])

# ---- converters that change, and those that do not ----

check("table_inc_gpc makes the entry and counts", [get("/inc") for _ in range(3)] == ["1 1 1", "2 2 2", "3 3 3"])
check("gpc0 and gpc1 are elements of gpc, and rates go with them", rows("show table arrays") ==
      {"k": "gpc0=3 gpc1=3 gpc0_rate(3600000)=3 gpc1_rate(3600000)=3", "r": "gpc0=3 gpc1=0 "
       "gpc0_rate(3600000)=3 gpc1_rate(3600000)=0"})
check("table_clr_gpc gives what it was", get("/clr") == "3 3 3")
check("and leaves nothing", rows("show table arrays data.gpc eq 0 data.gpc[1] eq 0").keys() == {"k", "r"})
check("without a value where the table is full", [get("/full?s=a"), get("/full?s=b"), get("/full?s=a")] ==
      ["1", "", "2"])
check("and with no entry more", "used:1" in service.ask("show table one"))
until("looking up does not renew the life of an entry", lambda: int(get("/idle")) >= 100)
check("counting does", int(get("/inc-idle")) < 100)

# ---- all workers ----

for number in 1, 2, 3:
	service.worker(number, f"set table shared key 192.0.2.{number} data.gpc0 {number}")
want = {f"192.0.2.{n}": f"gpc0={n}" for n in (1, 2, 3)}
check("each says what all have set", all(rows("show table shared", n) == want for n in (1, 2, 3)))
service.worker(2, "clear table shared key 192.0.2.1")
check("each removes for all", "192.0.2.1" not in rows("show table shared", 3))
check("the parent's socket knows no tables of its own",
      "# table" not in service.parent("show table"))
finish()
