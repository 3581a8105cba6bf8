#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A timeout ends the stream of HTTP/2 that it is about, with the status and the log line of an
# exchange of HTTP/1; others on the same connection go on.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
set -- $(ports 3)
short=127.0.0.1:$1 nobody=127.0.0.1:$2 waits=127.0.0.1:$3
config <<END
	log stdout format raw local0
defaults
	mode http
	log global
	log-format "{%ST %ts %HP}"
	timeout connect 30s
	timeout client 2m
	timeout server 2m
	timeout tarpit 300ms
	retries 0
frontend fe
	bind $front proto h2
	http-request tarpit deny_status 429 if { path /tarpit }
	use_backend slow if { path /slow }
	use_backend full if { path_beg /full }
	use_backend refused if { path /refused }
	default_backend be
frontend short
	bind $short proto h2
	timeout client 300ms
	default_backend be
frontend waits
	bind $waits proto h2
	timeout client 300ms
	timeout http-request 300ms
	timeout http-keep-alive 300ms
	option http-buffer-request
	default_backend be
backend be
	server s $back
backend slow
	timeout server 300ms
	server s $back
backend full
	timeout queue 300ms
	server s $back maxconn 1
backend refused
	server s $nobody
END
start_penstock
driver "$srcdir/reg-tests/h2/timeouts.py" --short $short --waits $waits || failures=1
finish
