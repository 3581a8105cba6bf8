# SPDX-License-Identifier: BSD-2-Clause
"""What zabbix.sh describes."""

import csv
import io
import re
import urllib.request

from service import Service, check, finish, until
service = Service("who")
who, page = service.args.who, f"http://{service.args.front}/stats"
NUMBERS = {
    "FRONTEND": "bin bout dreq ereq hrsp_1xx hrsp_2xx hrsp_3xx hrsp_4xx hrsp_5xx rate req_rate scur slim",
    "BACKEND": """act bck bin bout dresp econ eresp hrsp_1xx hrsp_2xx hrsp_3xx hrsp_4xx hrsp_5xx qcur qtime
        rtime stot weight wredis wretr""",
    "server": """act bck bin bout dresp econ eresp hrsp_1xx hrsp_2xx hrsp_3xx hrsp_4xx hrsp_5xx lbtot qcur
        qtime rtime stot weight wredis wretr""" }


def get(url):
    """What the agent's web.page.get has, and the body alone."""
    with urllib.request.urlopen(url) as response:
        body = response.read().decode()
        return f"HTTP/1.1 {response.status} {response.reason}\r\n{response.headers}" + body, body


def table(text, expression):
    """CSV_TO_JSON: names of columns differ, no row has more of them than the first."""
    rows = list(csv.reader(io.StringIO(re.search(expression, text)[1])))
    names = rows.pop(0)
    check(f"{who}: names of columns differ", len(set(names)) == len(names))
    check(f"{who}: no row is longer", all(len(row) <= len(names) for row in rows))
    return {(row[0], row[1]): dict(zip(names, row)) for row in rows if row}


def states():
    return [row["check_status"] for key, row in table(get(page + ";csv")[1], r"# ([\s\S]*)\n").items() if key[1] == "s1"]


get(page)
until("the checks have ended", lambda: states()[0] not in ("", "INI"))
for how in (0, 1):
    text = get(page)[how]
    version = re.search(r"HAProxy version ([^,]*),", text)
    check(f"{who}: version", version and service.info()["Version"] == version[1])
    uptime = re.search(r"(\d+)d (\d+)h(\d+)m(\d+)s", text)
    seconds = uptime and sum(int(n) * unit for n, unit in zip(uptime.groups(), (86400, 3600, 60, 1)))
    check(f"{who}: uptime", uptime and abs(int(service.info()["Uptime_sec"]) - seconds) <= 2)
    rows = table(get(page + ";csv")[how], (r"# ([\s\S]*)", r"# ([\s\S]*)\n")[how])
    check(f"{who}: rows", rows.keys() == {("fe", "FRONTEND"), ("be", "s1"), ("be", "s2"), ("be", "BACKEND"),
        ("tcp", "s1"), ("tcp", "BACKEND")})
    for (proxy, name), row in rows.items():
        check(f"{who}: {proxy}/{name}: mode", re.search("http|tcp", row["mode"]))
        for column in NUMBERS.get(name, NUMBERS["server"]).split():
            if not re.match(r"^\d+$", row[column]) and not (proxy == "tcp" and column.startswith("hrsp_")):
                check(f"{who}: {proxy}/{name}: {column} is a number: {row[column]!r}", False)
        if name not in ("FRONTEND", "BACKEND"):
            check(f"{who}: {proxy}/{name}: qlimit is a number or none", re.match(r"^\d*$", row["qlimit"]))
    check(f"{who}: states", [rows["be", n]["status"] for n in ("s1", "s2")] == ["DOWN", "no check"])
    for name, good in ("s1", False), ("s2", True):
        found = re.search(r"(?:L[4-7]OK|^$)", rows["be", name]["check_status"])
        check(f"{who}: check of {name}", bool(found) == good)
finish()
