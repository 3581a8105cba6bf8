#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Requests of HTTP/2 that are malformed (doc/internals/http2.md, "Messages"), each rule: the stream
# ends with PROTOCOL_ERROR, or is answered with 400 where that cannot be mistaken; no server sees a
# request, and the connection goes on. What is allowed arrives as it should.
. "${0%/*}/../lib.sh"
http_proxy "log stderr local0
	log-format \"logged %ST %ts %r\"" "" "http-reuse never" | sed "s/bind $front/& proto h2/" | config
start_penstock
driver "$srcdir/reg-tests/h2/malformed.py" || failures=1
finish
