#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# ClientHellos of hellos.txt, broken and good ones, over sockets, whole and in pieces: req.ssl_*
# finds what stands there. Where haproxy is installed it is asked the same, and answers the same but
# for the lines with a star.
. "${0%/*}/../lib.sh"
command -v python3 >/dev/null || exit 77

hellos() { # ADDRESS
	cat <<END
global
	log stdout format raw local0
	stats socket $2
defaults
	mode tcp
	timeout client 1m
	timeout connect 1m
	timeout server 1m
frontend f
	bind $1
	log global
	log-format "told %cp %[var(sess.type)] %[var(sess.ver)] %[var(sess.sni)] %[var(sess.ec)] %[var(sess.st)] %[var(sess.alpn)]"
	tcp-request inspect-delay 30s
	tcp-request content set-var(sess.type) req.ssl_hello_type if WAIT_END
	tcp-request content set-var(sess.ver) req.ssl_ver if WAIT_END
	tcp-request content set-var(sess.sni) req.ssl_sni,hex if WAIT_END
	tcp-request content set-var(sess.ec) req.ssl_ec_ext if WAIT_END
	tcp-request content set-var(sess.st) req.ssl_st_ext if WAIT_END
	tcp-request content set-var(sess.alpn) req.ssl_alpn,hex if WAIT_END
	tcp-request content reject if WAIT_END
END
}
cat >"$dir/hellos.py" <<'PY'
import re
import socket
import sys
import time

hellos, address, log, whose = sys.argv[1:]
host, port = address.split(":")
rows = [line.rstrip("\n").split("\t") for line in open(hellos, encoding="utf-8") if "\t" in line]
sent = {}


def pieces(data, size):
    return [data[i:i + size] for i in range(0, len(data), size)]


def send(name, way, parts, want):
    s = socket.create_connection((host, int(port)), 60)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        for part in parts:
            s.sendall(part)
        s.shutdown(socket.SHUT_WR)
        s.recv(1)
    except OSError:
        pass
    sent[s.getsockname()[1]] = (name, way, want)
    return s


open_ones = []
for name, data, want in rows:
    if whose == "theirs" and name.startswith("*") or not data:
        continue
    data = bytes.fromhex(data)
    for way, size in ("whole", 100000), ("in pieces of 7", 7), ("byte by byte", 1):
        if len(data) / size < 400:
            open_ones.append(send(name, way, pieces(data, size), want))
told, end = {}, time.monotonic() + 60
while time.monotonic() < end and not set(sent) <= set(told):
    told = {int(m[1]): m[2] for m in re.finditer(r"told (\d+) (.*)", open(log, encoding="utf-8").read())}
    time.sleep(0.05)


def same(got, want):
    """What is not there is false to conditions: haproxy says nothing of extensions that are missing."""
    got, want = got and got.split(), want.split()
    return got and got[:3] + got[5:] == want[:3] + want[5:] and \
        all(g == w or whose == "theirs" and (g, w) == ("-", "0") for g, w in zip(got[3:5], want[3:5]))


bad = [(*sent[p], told.get(p)) for p in sent if not same(told.get(p), sent[p][2])]
for name, way, want, got in bad:
    print(f"{name} {way}: {got} instead of {want}")
print(f"{len(sent)} hellos, {len(bad)} were taken otherwise")
sys.exit(bool(bad) or len(sent) < 150)
PY
judge() { timeout 300 python3 "$dir/hellos.py" "$srcdir/reg-tests/expr/hellos.txt" "$@"; }

hellos "$front" "$stats" >"$dir/cfg"
start_penstock
check "as they are recorded" judge "$front" "$log" ours
stop_penstock
if [ -z "${asan:-}" ] && command -v haproxy >/dev/null; then
	hellos "$back" "$dir/theirs.sock" >"$dir/theirs.cfg"
	haproxy -db -f "$dir/theirs.cfg" >"$dir/theirs.log" 2>&1 &
	children="$children $!"
	until_true 60 test -S "$dir/theirs.sock"
	check "haproxy takes those without a star in the same way" judge "$back" "$dir/theirs.log" theirs
fi
finish
