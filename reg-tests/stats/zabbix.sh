#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What the public template "HAProxy by HTTP" of Zabbix does with the statistics page finds the same
# things in ours as in the reference's: version, uptime, and a table of CSV with its columns.
. "${0%/*}/../lib.sh"

{
	printf 'defaults\n\tmode http\n\ttimeout connect 5s\n\ttimeout client 5s\n\ttimeout server 5s\n'
	printf 'frontend fe\n\tbind %s\n\tstats enable\n\tstats uri /stats\n' "$front"
	printf '\tdefault_backend be\nbackend be\n\tserver s1 %s\n' "$back"
} | config
cat >"$dir/read.py" <<'END_OF_TEST'
import csv, io, re, sys, urllib.request
from service import Service, check, finish
service = Service(lambda p: p.add_argument("--who"))
who, page = service.args.who, f"http://{service.args.front}/stats"
text = urllib.request.urlopen(page).read().decode()
version = re.search(r"HAProxy version ([^,]*), ", text)
check(f"{who}: version {version and version[1]}", version and re.match(r"\d+\.\d+\.\d+", version[1]))
for form in r"<b>uptime = </b>(.*?)d (.*?)h(.*?)m(.*?)s<br>", r"(\d+)d (\d+)h(\d+)m(\d+)s":
    uptime = re.search(form, text)
    check(f"{who}: uptime {uptime and uptime.groups()}", uptime and all(n.strip().isdigit() for n in uptime.groups()))
table = csv.DictReader(io.StringIO(urllib.request.urlopen(page + ";csv").read().decode().lstrip("# ")))
rows = {(row["pxname"], row["svname"]): row for row in table}
check(f"{who}: rows", {("fe", "FRONTEND"), ("be", "s1"), ("be", "BACKEND")} <= rows.keys())
for column in """bin bout comp_rsp dreq ereq hrsp_1xx hrsp_2xx hrsp_3xx hrsp_4xx hrsp_5xx req_rate rate_lim
    scur slim smax stot status type act bck chkfail cli_abrt downtime econ eresp qcur qtime rtime srv_abrt
    weight wredis wretr ctime ttime lastsess addr check_status""".split():
    if not all(column in row for row in rows.values()):
        check(f"{who}: column {column}", False)
finish()
END_OF_TEST
ours=$PENSTOCK
if haproxy -v 2>/dev/null | grep -q 'version 2\.6' && ! sanitized; then
	PENSTOCK=haproxy
	start_penstock
	driver "$dir/read.py" --who "the reference" || failures=1
	stop_penstock
fi
PENSTOCK=$ours
start_penstock
driver "$dir/read.py" --who ours || failures=1
finish
