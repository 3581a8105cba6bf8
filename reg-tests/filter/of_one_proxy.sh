#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Filters of one proxy are nothing to the streams of another, which hears of the same moments for its
# log: none are made for them, so that no memory stays behind.
. "${0%/*}/../lib.sh"

config <<END
defaults
	timeout connect 30s
	timeout client 1m
	timeout server 1m
frontend logs
	mode tcp
	bind $front
	log $dir/log.sock local0
	log-steps accept
	default_backend echo
backend echo
	mode tcp
	server s $back
listen filtered
	mode tcp
	bind unix@$dir/filtered.sock
	filter trace quiet
	server s $back
END
start_penstock
driver - <<'END' || failures=1
import socket
import threading

from service import Service, address, check, connect, finish, read_all

svc = Service()


def answer(listener):
    while True:
        s, _ = listener.accept()
        s.sendall(s.recv(100))
        s.close()


listener = socket.create_server(address(svc.args.back))
threading.Thread(target=answer, args=(listener,), daemon=True).start()
for i in range(5):
    with connect(svc.args.front) as s:
        s.sendall(b"x")
        check("a stream passes", read_all(s) == b"x")
pool = [line for line in svc.ask("show pools").splitlines() if " filters " in line]
check(f"no filters were made: {pool}", all(" 0 allocated" in line for line in pool))
finish()
END
finish
