#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A body of HTTP/2 goes on to a server of HTTP/1 in chunks. The server reads nothing until all of it
# has come: the socket took a part of a chunk, and more bytes than the rest of that chunk wait. Then
# the server reads: everything arrives, though the client has nothing more to say.
. "${0%/*}/../lib.sh"

inner=127.0.0.1:$(ports 1)
config <<END
	tune.sndbuf.server 8k
$(http_defaults)
	timeout client 2m
	timeout server 2m
listen outer
	bind $front
	server s1 $inner proto h2
listen fe
	bind $inner proto h2
	server s1 $back
END
start_penstock
driver "${0%.sh}.py"
failures=$((failures + $?))
finish
