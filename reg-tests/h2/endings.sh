#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# How an exchange ends over HTTP/2 on both sides, or from HTTP/1 to a server of HTTP/2: what the
# client is told, and what the log says, when client or server reset, close, say GOAWAY or nothing,
# before and within the answer, over a connection to the server that is new or was used before.
# PENSTOCK=haproxy: what the reference does.
. "${0%/*}/../lib.sh"

python_with hpack || { say "python3-hpack is not installed"; exit 77; }
plain=127.0.0.1:$(ports 1)
logs=$(ports 1)
config <<END
	log 127.0.0.1:$logs format raw local0
defaults
	mode http
	log global
	log-format "%[var(txn.path)] %ST %ts"
	timeout connect 30s
	timeout client 2m
	timeout server 2m
frontend fe
	bind $front proto h2
	bind $plain
	http-request set-var(txn.path) path
	use_backend slow if { path_beg /slow }
	default_backend be
backend be
	http-reuse always
	server s $back proto h2
backend slow
	timeout server 300ms
	server s $back proto h2
END
start_penstock
driver "${0%/*}/endings.py" --plain "$plain" --logs "$logs" || failures=1
finish
