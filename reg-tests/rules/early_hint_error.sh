#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Hints that were collected when a rule fails are dropped: the answer to that is written once.
. "${0%/*}/../lib.sh"

config <<END
defaults
	mode http
	timeout connect 30s
	timeout client 1m
	timeout server 1m
frontend rules
	bind $front
	http-request early-hint Link "</a.css>; rel=preload"
	http-request set-header X-Path %[path]
	http-after-response set-header X-Last yes
	default_backend none
backend none
	server s $back
END
start_penstock
driver - <<'END' || failures=1
from service import Service, check, connect, finish, read_all

svc = Service()
with connect(svc.args.front) as s:
    s.sendall(b"GET /" + b"a" * 12000 + b" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    said = read_all(s)
check(f"one answer, 500: {said.count(b'HTTP/1.1 ')}, {said[:12]}",
      said.startswith(b"HTTP/1.1 500") and said.count(b"HTTP/1.1 ") == 1)
check("behind the last rules", said.count(b"X-Last: yes\r\n") + said.count(b"x-last: yes\r\n") == 1)
finish()
END
finish
