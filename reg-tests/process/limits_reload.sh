#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Limits of frontends and of the program count what an old generation still has: maxconn of both,
# rate-limit sessions, maxconnrate, maxsessrate.
. "${0%/*}/../lib.sh"

# service GLOBAL-LINE FRONTEND-LINE
service() {
	config <<-END
		nbproc 2
		$1
	defaults
		mode http
		timeout connect 30s
		timeout client 2m
		timeout server 2m
		option http-server-close
	frontend fe
		bind $front
		$2
		default_backend be
	backend be
		server s1 $back
	END
	start_penstock -W -S "$dir/parent.sock"
}

judge() {
	say "## $*"
	python3 - "$front" "$back" "$stats" "$dir/parent.sock" "$srcdir/reg-tests/process" "$@" <<'PY' ||
import sys, threading, time
front, back, stats, parent, tools, what, name = sys.argv[1:8]
sys.path.insert(0, tools)
sys.argv = sys.argv[:1] + ["--front", front, "--back", back, "--stats", stats, "--parent", parent]
from service import Origin, Service, check, connect, finish, read_all, until

LIMIT, RATE, CLIENTS = 10, 40, 120
service, origin = Service(), Origin(back)


def column(field):
    end = time.monotonic() + 60
    while True:
        try:
            return int(service.stat("fe", "FRONTEND")[field])
        except (KeyError, IndexError, OSError):
            if time.monotonic() > end:  # an old worker that ends may have been asked
                raise


def requests(n):
    clients = [connect(front) for _ in range(n)]
    for s in clients:
        s.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    return clients


def all_answered(clients):
    return all(read_all(s).startswith(b"HTTP/1.1 200") for s in clients)


def reload():
    before = set(service.workers())
    good = "Success=1" in service.parent("reload")
    return good and not before & set(service.workers())


def places():
    origin.hold = threading.Event()
    old = requests(LIMIT)
    until("as many as may be are served", lambda: origin.now == LIMIT)
    check("a reload", reload())
    new = requests(LIMIT)
    # One that tries for a place counts for a moment.
    until("all that are there are the old generation's", lambda: column("scur") == LIMIT == origin.now)
    old_connections = origin.connections
    origin.hold.set()
    check("all of the old are answered, and then the new", all_answered(old + new))
    check("%d, then %d" % (old_connections, origin.requests),
          (old_connections, origin.requests) == (LIMIT, 2 * LIMIT))
    check("never more at once than %d: %d" % (LIMIT, origin.most), origin.most == LIMIT)
    check("show stat has seen it: %d" % column("smax"), column("smax") == LIMIT)


def rate():
    clients = requests(CLIENTS)
    reloads = []
    for _ in range(3):
        reloads.append(reload())
    check("three reloads", all(reloads))
    check("all are answered", all_answered(clients))
    most = column("rate_max")
    check("at most %d a second: %d" % (RATE, most), most <= RATE * 5 // 4)
    check("each once", column("stot") == CLIENTS)


until("two workers serve", lambda: len(service.workers()) == 2)
{"places": places, "rate": rate}[what]()
origin.close()
finish()
PY
		failures=$((failures + 1))
	stop_penstock
}

service "" "maxconn 10"
judge places "maxconn of a frontend"
service "maxconn 10" ""
judge places "maxconn of all"
service "" "rate-limit sessions 40"
judge rate "rate-limit sessions"
service "maxconnrate 40" ""
judge rate maxconnrate
service "maxsessrate 40" ""
judge rate maxsessrate
finish
