#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Early data of clients that mean ill or are unlucky: a byte a record and a segment, more than was
# allowed, half a request, gone at once, a Finished that is wrong, none at all, a hundred at a time.
# What was not proven ends as a failed handshake, nothing is left of it, and the next client is
# served.
. "${0%/*}/../lib.sh"
. "${0%/*}/early.sh"

brief=127.0.0.1:$(ports 1)
config <<END
	log $dir/log.sock local0
defaults d
	mode http
	log global
	log-format "%ts %ST %HU %[fc_err]"
	timeout connect 1m
	timeout client 2m
	timeout server 2m
	default_backend be
frontend fe
	bind $front ssl crt $dir/pem allow-0rtt
	http-request wait-for-handshake if { path_beg /wait }
frontend brief
	bind $brief ssl crt $dir/pem allow-0rtt
	timeout client 10s
	http-request wait-for-handshake
backend be
	server s1 $origin
END
start_logger() {
	python3 - "$dir" <<'PY' &
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1] + "/log.sock")
with open(sys.argv[1] + "/lines", "ab", 0) as out:
    while True:
        out.write(s.recv(65536).strip(b"\n\0") + b"\n")
PY
	children="$children $!"
	until_true 60 test -S "$dir/log.sock"
}
start_logger
start_penstock
early_test "$front" "$brief"
finish
