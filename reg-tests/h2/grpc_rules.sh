#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Rules of the manual's chapter on gRPC: grpc-timeout becomes the server's timeout, in milliseconds
# and seconds; a rule answers with a status of gRPC; a field of the message is found.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
config <<END
defaults
	mode http
	timeout connect 30s
	timeout client 1h
	timeout server 1h
frontend calls
	bind $front proto h2
	option http-buffer-request
	http-request set-var(txn.customer) req.body,ungrpc(1)
	http-request return status 200 hdr content-type application/grpc hdr grpc-status 7 hdr grpc-message "Not here" hdr x-customer %[var(txn.customer)] if { path_beg /shop.v1.Internal/ }
	default_backend services
backend services
	http-request set-timeout server req.hdr(grpc-timeout),regsub(m,) if { req.hdr(grpc-timeout) -m end m }
	http-request set-timeout server req.hdr(grpc-timeout),regsub(S,),mul(1000) if { req.hdr(grpc-timeout) -m end S }
	server s1 $back
END
start_penstock
driver "$srcdir/reg-tests/h2/grpc_rules.py" || failures=1
finish
