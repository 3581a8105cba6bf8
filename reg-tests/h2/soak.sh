#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Clients of HTTP/2 and HTTP/1 before servers of both, connections to servers shared by all: windows
# of one byte to a megabyte, uploads and downloads at once, trailers both ways, streams that are
# left, servers that break off at any frame, GOAWAY from either side at any time, connections that
# are left. Each byte is judged by its place; what was cut short is visibly so; nothing hangs. By
# hand, longer: SOAK="--seconds 600 --clients 24".
. "${0%/*}/../lib.sh"

python_with h2 || { say "python3-h2 is not installed"; exit 77; }
set -- $(ports 2)
h2=127.0.0.1:$1 chaos=127.0.0.1:$2
config <<END
$(http_defaults)
frontend fe
	bind $front
	use_backend h2 if { path_beg /2/ }
	use_backend chaos if { path_beg /3/ }
	default_backend h1
backend h1
	http-reuse always
	http-request set-path %[path,regsub(^/1,)]
	server s1 $back
backend h2
	http-reuse always
	http-request set-path %[path,regsub(^/2,)]
	server s1 $h2 proto h2
backend chaos
	http-reuse always
	http-request set-path %[path,regsub(^/3,)]
	server s1 $chaos proto h2
END
start_penstock
driver "${0%/*}/soak.py" --h2 "$h2" --chaos "$chaos" --seed "${SEED:-1}" ${SOAK:---seconds 4 --clients 6} || failures=1
stop_penstock
finish
