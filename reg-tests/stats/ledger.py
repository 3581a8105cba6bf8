# SPDX-License-Identifier: BSD-2-Clause
"""
The books of counters.py: what each number of "show stat" and "show info" must be. Entries are made
by the clients and servers of the test, of what went over their sockets; the objects and their
settings come from the configuration that was written. The program is asked for nothing but the
numbers that are judged.

COLUMNS and LINES say of each column and line how its value is known. Where there is no exact one
the rule is in INEXACT, with the reason and with bounds. COUNTERS says where each row of the tables
of counters (include/tally, include/http) is seen.
"""

import collections
import csv
import io
import os
import re
import threading
import time

# Columns: kinds of rows that have it (F, B, S, L), how its value is known.
#   count     booked; nothing was booked: 0
#   set       follows from the configuration, or is booked as it is
#   others    a rule of INEXACT
COLUMNS = """
pxname                          FBSL set
svname                          FBSL set
qcur                            BS   count
qmax                            BS   count
scur                            FBSL count
smax                            FBSL count
slim                            FBL  set
stot                            FBSL count
bin                             FBSL count
bout                            FBSL count
dreq                            FBL  count
dresp                           FBSL count
ereq                            FL   count
econ                            BS   count
eresp                           BS   count
wretr                           BS   count
wredis                          BS   count
status                          FBSL set
weight                          BS   set
act                             BS   set
bck                             BS   set
chkfail                         C    count
chkdown                         BC   count
lastchg                         BS   seconds
downtime                        BC   seconds
qlimit                          -    set
pid                             FBSL set
iid                             FBSL set
sid                             FBSL set
throttle                        -    set
lbtot                           BS   count
tracked                         -    set
type                            FBSL set
rate                            FBS  rate stot
rate_lim                        F    set
rate_max                        FBS  peak stot
check_status                    C    set
check_code                      -    set
check_duration                  C    ms
hrsp_1xx                        H    count
hrsp_2xx                        H    count
hrsp_3xx                        H    count
hrsp_4xx                        H    count
hrsp_5xx                        H    count
hrsp_other                      H    count
hanafail                        -    count
req_rate                        F    rate req_tot
req_rate_max                    F    peak req_tot
req_tot                         HF   count
cli_abrt                        BS   count
srv_abrt                        BS   count
comp_in                         FB   count
comp_out                        FB   count
comp_byp                        FB   count
comp_rsp                        FB   count
lastsess                        BS   age
last_chk                        C    set
last_agt                        -    set
qtime                           BS   ms
ctime                           BS   ms
rtime                           BS   ms
ttime                           BS   ms
agent_status                    -    set
agent_code                      -    set
agent_duration                  -    ms
check_desc                      C    set
agent_desc                      -    set
check_rise                      C    set
check_fall                      C    set
check_health                    C    set
agent_rise                      -    set
agent_fall                      -    set
agent_health                    -    set
addr                            SL   set
cookie                          S    set
mode                            FBSL set
algo                            B    set
conn_rate                       F    rate conn_tot
conn_rate_max                   F    peak conn_tot
conn_tot                        F    count
intercepted                     G    count
dcon                            FL   count
dses                            FL   count
wrew                            FBSL count
connect                         BS   count
reuse                           BS   count
cache_lookups                   I    count
cache_hits                      I    count
srv_icur                        S    count
src_ilim                        -    set
qtime_max                       BS   ms
ctime_max                       BS   ms
rtime_max                       BS   ms
ttime_max                       BS   ms
eint                            FBSL count
idle_conn_cur                   S    count
safe_conn_cur                   S    count
used_conn_cur                   S    count
need_conn_est                   S    need
uweight                         BS   set
agg_server_status               B    count
agg_server_check_status         B    count
agg_check_status                B    count
-                               -    set
ssl_sess                        FBSL count
ssl_reused_sess                 FBSL count
ssl_failed_handshake            FBSL count
h2_headers_rcvd                 FB   count
h2_data_rcvd                    FB   count
h2_settings_rcvd                FB   count
h2_rst_stream_rcvd              FB   count
h2_goaway_rcvd                  FB   count
h2_detected_conn_protocol_errors FB  count
h2_detected_strm_protocol_errors FB  count
h2_rst_stream_resp              FB   count
h2_goaway_resp                  FB   count
h2_open_connections             FB   count
h2_backend_open_streams         FB   count
h2_total_connections            FB   count
h2_backend_total_streams        FB   count
h1_open_connections             FB   count
h1_open_streams                 FB   count
h1_total_connections            FB   count
h1_total_streams                FB   count
h1_bytes_in                     FB   count
h1_bytes_out                    FB   count
h1_spliced_bytes_in             FB   spliced
h1_spliced_bytes_out            FB   spliced
h2_refused_streams              FB   count
h2_glitches                     FB   count
retr_denied                     -    count
ejections                       -    count
ewma_us                         -    ms
unpublished                     B    count
"""

# Lines of "show info": how the value is known; of "is" the value, or a pattern.
LINES = r"""
Name                        is HAProxy
Version                     is 2\.\d\S*-penstock.*|.*
Release_date                is \d{4}/\d\d/\d\d
Nbthread                    is 1
Nbproc                      count
Process_num                 worker
Pid                         pid
Uptime                      is \d+d \d+h\d\dm\d\ds
Uptime_sec                  seconds
Memmax_MB                   is 0
PoolAlloc_MB                memory
PoolUsed_MB                 memory
PoolFailed                  count
Ulimit-n                    limit
Maxsock                     limit
Maxconn                     limit
Hard_maxconn                limit
CurrConns                   count
CumConns                    count
CumReq                      count
MaxSslConns                 is 0
CurrSslConns                count
CumSslConns                 count
Maxpipes                    limit
PipesUsed                   count
PipesFree                   pipes
ConnRate                    rate CumConns
ConnRateLimit               is 0
MaxConnRate                 peak CumConns
SessRate                    rate CumConns
SessRateLimit               is 0
MaxSessRate                 peak CumConns
SslRate                     rate CumSslConns
SslRateLimit                is 0
MaxSslRate                  peak CumSslConns
SslFrontendKeyRate          rate CumSslConns
SslFrontendMaxKeyRate       peak CumSslConns
SslFrontendSessionReuse_pct  percent
SslBackendKeyRate           rate CumSslConns
SslBackendMaxKeyRate        peak CumSslConns
SslCacheLookups             count
SslCacheMisses              count
CompressBpsIn               flow
CompressBpsOut              flow
CompressBpsRateLim          is 0
Tasks                       tasks
Run_queue                   tasks
Idle_pct                    percent
node                        is ledger
description                 is the books
Stopping                    is 0
Jobs                        count
Unstoppable Jobs            is 0
Listeners                   count
ActivePeers                 count
ConnectedPeers              count
DroppedLogs                 count
BusyPolling                 is 0
FailedResolutions           count
TotalBytesOut               copied
TotalSplicdedBytesOut       pipes
BytesOutRate                flow
DebugCommandsIssued         count
CumRecvLogs                 count
Build info                  is Penstock .*
Memmax_bytes                is 0
PoolAlloc_bytes             memory
PoolUsed_bytes              memory
Start_time_sec              start
Tainted                     is 0
PipesHighWater              pipes
PipesSize                   pipes
PipesTaken                  pipes
PipesNone                   count
PipesDirty                  count
PipesFailed                 count
BytesCopied                 copied
BytesSpliced                pipes
SplicePulls                 pipes
SplicePushes                pipes
SpliceGathered              pipes
CopyReads                   calls
CopyWrites                  calls
SpliceFallbackRefused       count
SpliceFallbackHidden        count
SpliceFallbackUrgent        count
SpliceFallbackNoPipe        count
ProxyHeadersTaken           count
ProxyHeadersRefused         count
KernelTlsConns              count
RestingTlsConns             resting
EarlyDataTaken              count
EarlyDataRepeated           count
EarlyDataSent               count
EarlyDataRejected           count
RegexGivenUp                count
H2FrontendCurrConns         count
H2FrontendCumConns          count
H2FrontendCurrStreams       count
H2FrontendCumStreams        count
H2FrontendRefusedStreams    count
H2FrontendResetStreams      count
H2FrontendGlitches          count
H2BackendCurrConns          count
H2BackendCumConns           count
H2BackendCurrStreams        count
H2BackendCumStreams         count
H2BackendRefusedStreams     count
H2BackendResetStreams       count
H2BackendGlitches           count
KernelRelays                count
KernelBytes                 count
KernelPassed                count
KernelFallbackUnfit         count
KernelFallbackNoPlace       count
KernelFallbackRefused       count
KernelFallbackBehind        count
KernelFaults                count
KernelFallbackBulk          count
KernelFallbackUnprofitable  count
KernelFallbackMessages      count
"""

# Where each row of the tables of counters is seen: columns, or lines of "show info".
COUNTERS = {
    "counters.def": """
        connections conn_tot      sessions stot             bytes_in bin
        bytes_out bout            denied_requests dreq      denied_responses dresp
        denied_connections dcon   denied_sessions dses      failed_requests ereq
        failed_connections econ   failed_responses eresp    retries wretr
        retries_denied retr_denied  ejections ejections     redispatches wredis
        client_aborts cli_abrt    server_aborts srv_abrt    balanced lbtot
        connects connect          reuses reuse              internal_errors eint
        failed_hana hanafail      failed_checks chkfail     requests req_tot
        responses_1xx hrsp_1xx    responses_2xx hrsp_2xx    responses_3xx hrsp_3xx
        responses_4xx hrsp_4xx    responses_5xx hrsp_5xx    responses_other hrsp_other
        intercepted intercepted   failed_rewrites wrew      compress_in comp_in
        compress_out comp_out     compress_bypassed comp_byp  compressed_responses comp_rsp
        tls_sessions ssl_sess     tls_resumed ssl_reused_sess  tls_failed ssl_failed_handshake
        bytes_spliced h1_spliced_bytes_in  connections_max smax  queue_max qmax""",
    "counted.def": """
        COPIED BytesCopied        SPLICED BytesSpliced      PULLS SplicePulls
        PUSHES SplicePushes       GATHERED SpliceGathered   READS CopyReads
        WRITES CopyWrites         REFUSED SpliceFallbackRefused  HIDDEN SpliceFallbackHidden
        URGENT SpliceFallbackUrgent  NO_PIPE SpliceFallbackNoPipe  PIPES_TAKEN PipesTaken
        PIPES_NONE PipesNone      PIPES_DIRTY PipesDirty    PIPES_FAILED PipesFailed
        LOGS_DROPPED DroppedLogs  REGEX_GIVEN_UP RegexGivenUp
        HEADERS_TAKEN ProxyHeadersTaken  HEADERS_REFUSED ProxyHeadersRefused
        KERNEL_TLS KernelTlsConns EARLY_TAKEN EarlyDataTaken  EARLY_REPEATED EarlyDataRepeated
        EARLY_SENT EarlyDataSent  EARLY_REJECTED EarlyDataRejected
        TLS_LOOKUPS SslCacheLookups  TLS_MISSES SslCacheMisses
        H2_FE_CONNECTED H2FrontendCumConns  H2_FE_STREAMS H2FrontendCumStreams
        H2_FE_REFUSED H2FrontendRefusedStreams  H2_FE_RESET H2FrontendResetStreams
        H2_FE_GLITCHES H2FrontendGlitches
        H2_BE_CONNECTED H2BackendCumConns  H2_BE_STREAMS H2BackendCumStreams
        H2_BE_REFUSED H2BackendRefusedStreams  H2_BE_RESET H2BackendResetStreams
        H2_BE_GLITCHES H2BackendGlitches
        KERNEL_RELAYS KernelRelays  KERNEL_BYTES KernelBytes  KERNEL_PASSED KernelPassed
        KERNEL_UNFIT KernelFallbackUnfit  KERNEL_NO_PLACE KernelFallbackNoPlace
        KERNEL_REFUSED KernelFallbackRefused  KERNEL_BEHIND KernelFallbackBehind
        KERNEL_FAULTS KernelFaults  KERNEL_BULK KernelFallbackBulk
        KERNEL_UNPROFITABLE KernelFallbackUnprofitable  KERNEL_MESSAGES KernelFallbackMessages
        POOL_FAILED PoolFailed    POOL_ALLOCATED PoolAlloc_bytes  POOL_USED PoolUsed_bytes
        PIPES_USED PipesUsed      PIPES_FREE PipesFree      PIPES_HIGH PipesHighWater
        STREAMS Jobs              TASKS Run_queue           TIMERS Tasks
        TLS_RESTING RestingTlsConns
        H2_FE_CONNS H2FrontendCurrConns  H2_FE_STREAMS H2FrontendCurrStreams
        H2_BE_CONNS H2BackendCurrConns   H2_BE_STREAMS H2BackendCurrStreams
        PEERS_CONNECTED ConnectedPeers   PEERS_ACTIVE ActivePeers""",
}

# Rules without an exact value: why, and (value, row or books, seconds of the run) within bounds.
INEXACT = {
    "seconds": ("passes while the test runs", lambda v, _, run: 0 <= v <= run + 1),
    "age": ("passes while the test runs; -1 where there was no session",
            lambda v, row, run: 0 <= v <= run + 1 if row["stot"] else v == -1),
    "ms": ("is measured, and as fast as the machine", lambda v, _, run: 0 <= v <= 1000 * (run + 1)),
    "rate": ("is of the last second, and as fast as the machine", lambda v, most, _: 0 <= v <= most),
    "peak": ("is of the busiest second, and as fast as the machine",
             lambda v, most, _: min(1, most) <= v <= most),
    "need": ("is an estimate that falls with time",
             lambda v, row, _: row["used_conn_cur"] <= v <= row["connect"]),
    "spliced": ("bodies of some size may go through pipes or not, as they come",
                lambda v, row, _: 0 <= v <= max(row["h1_bytes_in"], row["h1_bytes_out"])),
    "memory": ("is the program's own affair", lambda v, *_: v >= 0),
    "limit": ("follows from the limits of the system", lambda v, *_: v > 0),
    "worker": ("whoever has answered", lambda v, books, _: 1 <= v <= books.workers),
    "pid": ("whoever has answered", lambda v, books, _: v in books.pids),
    "percent": ("is as fast as the machine", lambda v, *_: 0 <= v <= 100),
    "flow": ("is of the last second, and as fast as the machine", lambda v, *_: v >= 0),
    "tasks": ("timers are the program's own affair", lambda v, *_: v >= 0),
    "pipes": ("bodies of some size may go through pipes or not, as they come", lambda v, *_: v >= 0),
    "copied": ("bodies of some size may go through pipes or not, as they come", lambda v, *_: v >= 0),
    "calls": ("a body comes in as many pieces as the kernel makes of it", lambda v, *_: v > 0),
    "resting": ("memory is given back after some silence", lambda v, books, _: 0 <= v <= books.info["CurrSslConns"]),
    "start": ("is the time of day", lambda v, _, run: abs(v - time.time()) <= run + 2),
}


class Row(collections.defaultdict):
    """Of a frontend F, backend B, server S or listener L: what its columns must be."""

    def __init__(self, kind, proxy, name, **settings):
        super().__init__(int)
        self.kind, self.proxy, self.name, self.checked = kind, proxy, name, False
        self.given = set()  # columns that its settings make it have
        self.update(pxname=proxy.name, svname=name, pid=1, iid=proxy.id, sid=0, type="FBSL".index(kind),
                    mode=proxy.mode)
        self.update(settings)

    def letters(self):
        """The letters of COLUMNS that it has."""
        http = self.proxy.mode == "http"
        return self.kind + ("C" if self.checked else "") + \
            ("H" if http and self.kind != "L" else "") + ("G" if http and self.kind == "F" else "") + \
            ("I" if http and self.kind in "FB" else "")


class Proxy:
    """A section of the configuration."""

    def __init__(self, kind, name, number):
        self.kind, self.name, self.id, self.mode = kind, name, number, "http"
        self.rows, self.address, self.default = {}, {}, None
        if kind == "frontend":
            self.rows["FRONTEND"] = Row("F", self, "FRONTEND", slim=100, status="OPEN", rate_lim=0)
        else:
            self.rows["BACKEND"] = Row("B", self, "BACKEND", slim=10, status="UP", algo="roundrobin", weight=0,
                                       uweight=0, act=0, bck=0)

    def read(self, words):
        verb, rest = words[0], words[1:]
        if verb == "mode":
            self.mode = rest[0]
            for row in self.rows.values():
                row["mode"] = rest[0]
        elif verb == "default_backend":
            self.default = rest[0]
        elif verb == "bind":
            self.place("L", rest[2], rest[0], sid=1, slim=0, status="OPEN")
        elif verb == "server":
            self.server(rest)
        elif verb == "maxconn":
            self.rows["FRONTEND"]["slim"] = int(rest[0])
        elif verb == "balance":
            self.rows["BACKEND"]["algo"] = rest[0]

    def place(self, kind, name, address, **settings):
        self.address[name] = address
        self.rows[name] = Row(kind, self, name, addr=address, **settings)
        return self.rows[name]

    def server(self, words):
        row = self.place("S", words[0], words[1], weight=1, uweight=1, act=1, bck=0, cookie="", status="no check",
                         sid=1 + sum(r.kind == "S" for r in self.rows.values()))
        if "maxconn" in words:
            row["slim"] = int(words[words.index("maxconn") + 1])
            row.given.add("slim")
        if "check" in words:
            row.checked = True
            row.update(status="UP", check_rise=1, check_health=1, check_fall=int(words[words.index("fall") + 1]), check_status="L4OK",
                       check_desc="Layer4 check passed", last_chk="")
        if "observe" in words:
            row.given.add("hanafail")
        backend = self.rows["BACKEND"]
        for column in "weight", "uweight", "act":
            backend[column] += 1


class Books:
    """The rows of a configuration, and "show info" as one more. add and put may be called by any
    thread."""

    def __init__(self, path, workers=1):
        self.workers, self.begun, self.lock = workers, os.path.getmtime(path), threading.Lock()
        self.info, self.pids = collections.defaultdict(int, Nbproc=workers), []
        self.proxies = {}
        with open(path, encoding="utf-8") as f:
            self.read(f)

    def read(self, lines):
        proxy = None
        for line in lines:
            words = line.split()
            if words and not line[0].isspace():
                proxy = None
                if words[0] in ("frontend", "backend"):
                    proxy = Proxy(words[0], words[1], 2 + len(self.proxies))
                    self.proxies[proxy.name] = proxy
            elif words and proxy:
                proxy.read(words)

    def row(self, where):
        """Of "proxy/name"."""
        proxy, name = where.split("/")
        return self.proxies[proxy].rows[name]

    def add(self, where, **columns):
        """To rows "proxy/name", several of them as "a/b c/d"; to "info"."""
        with self.lock:
            for each in where.split():
                row = self.info if each == "info" else self.row(each)
                for column, n in columns.items():
                    row[column] += n

    def put(self, where, **columns):
        with self.lock:
            for each in where.split():
                (self.info if each == "info" else self.row(each)).update(columns)

    def high(self, where, gauge, top, by):
        """A gauge that has its maximum beside it moves."""
        with self.lock:
            for each in where.split():
                row = self.row(each)
                row[gauge] += by
                row[top] = max(row[top], row[gauge])

    # -- judging --

    def wrong(self, rows, info):
        """Sentences about what is not as it should be. rows: {(proxy, name): {column: text}}; info:
        its lines."""
        run = time.time() - self.begun
        with self.lock:
            mine = {(p.name, n): row for p in self.proxies.values() for n, row in p.rows.items()}
            said = [f"{'/'.join(key)}: there is no such row" for key in mine if key not in rows]
            for key, values in rows.items():
                if key not in mine:
                    said.append(f"{'/'.join(key)}: a row without a place in the ledger")
                else:
                    said += wrong_row(mine[key], values, run, self.workers > 1)
            return said + wrong_info(self, info, run)


def table(text):
    return dict(line.split(None, 1) for line in text.strip().splitlines())


def holds(rule, text, against, run):
    """Whether a number is within its bounds."""
    try:
        return INEXACT[rule][1](float(text), against, run)
    except ValueError:
        return False


def exact(column, row, rule, several):
    """The texts that are right. Of several workers, one may have taken a place for a connection
    that another one gets, which is seen while that one finds its maximum; and one that was as high
    within the last second does not look at the sum again (doc/internals/processes.md, Maxima)."""
    value = row.get(column, 0 if rule == "count" else "")
    if several and column == "smax" and value:
        return [str(n) for n in range(1, value + 2)]
    return [str(value)]


def wrong_row(row, values, run, several):
    letters, where, said = set(row.letters()), f"{row.proxy.name}/{row.name}", []
    for column in values:
        if column not in PLACES:
            said.append(f"{column}: a column without a place in the ledger")
    for column, (kinds, rule, *of) in PLACES.items():
        text = values.get(column, "")
        there = letters & set(kinds) or column in row.given
        if not there and text:
            said.append(f"{where} {column}: {text} instead of nothing")
        elif there and rule in INEXACT:
            if not holds(rule, text, row[of[0]] if of else row, run):
                said.append(f"{where} {column}: {text} is out of its bounds")
        elif there and text not in exact(column, row, rule, several):
            said.append(f"{where} {column}: {text or 'nothing'} instead of {row.get(column, 0)}")
    return said


def wrong_info(books, info, run):
    said = [f"{name}: a line without a place in the ledger" for name in info if name not in INFO_PLACES]
    for name, rule in INFO_PLACES.items():
        text, (word, *rest) = info.get(name), rule.split(None, 1)
        if text is None:
            said.append(f"{name}: there is no such line")
        elif word == "is":
            if not re.fullmatch(rest[0], text):
                said.append(f"{name}: {text} instead of {rest[0]}")
        elif word in INEXACT:
            if not holds(word, text, books.info[rest[0]] if rest else books, run):
                said.append(f"{name}: {text} is out of its bounds")
        elif text != str(books.info[name]):
            said.append(f"{name}: {text} instead of {books.info[name]}")
    return said


PLACES = {name: tuple(rest.split()) for name, rest in table(COLUMNS).items()}
INFO_PLACES = dict(re.split(r"  +", line, 1) for line in LINES.strip().splitlines())


# -- what the program says --

def csv_rows(text):
    rows = list(csv.reader(io.StringIO(text.lstrip("# "))))
    columns = rows[0][:-1]
    return {(r[0], r[1]): {c: v for c, v in zip(columns, r) if v and c != "-"} for r in rows[1:] if r}


def typed_rows(text):
    rows, one = {}, {}
    for line in text.splitlines():
        place, _, _, value = line.split(":", 3)
        column = place.split(".")[4]
        if column == "pxname":
            one = {}
        one[column] = value
        if column == "svname":
            rows[one["pxname"], value] = one
    return {key: {c: v for c, v in row.items() if v} for key, row in rows.items()}


def unplaced(folder):
    """Rows of the tables of counters that COUNTERS has no place for, and places that are none."""
    said = []
    for name, text in COUNTERS.items():
        with open(os.path.join(folder, "tally", name), encoding="utf-8") as f:
            rows = re.findall(r"(?m)^(?:COUNTER|COUNTED|NOW)\((\w+)", f.read())
        places = dict(zip(*[iter(text.split())] * 2))
        said += [f"{name}: {row} has no place in the ledger" for row in rows if row not in places]
        said += [f"{name}: there is no {row}" for row in places if row not in rows]
        said += [f"{name}: {row} is seen in {at}, which is not judged" for row, at in places.items()
                 if at not in PLACES and at not in INFO_PLACES]
    for name, prefix in ("h1_counts.def", "h1_"), ("h2_counts.def", "h2_"):
        with open(os.path.join(folder, "http", name), encoding="utf-8") as f:
            rows = re.findall(r"(?m)^H[12]_(?:COUNT|NOW)\((\w+)", f.read())
        said += [f"{name}: {row} has no place in the ledger" for row in rows if prefix + row not in PLACES]
    return said
