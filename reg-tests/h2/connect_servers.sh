#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# CONNECT to a server of HTTP/2, from clients of HTTP/1 and HTTP/2: a tunnel, bytes both ways, the
# end of each direction by itself; a CONNECT that the server refuses is an answer.
. "${0%/*}/../lib.sh"

python_with h2 || { say "python3-h2 is not installed"; exit 77; }
config <<END
$(http_defaults)
frontend fe
	bind $front
	default_backend be
backend be
	http-reuse always
	server s1 $back proto h2
END
start_penstock
driver "${0%/*}/connect_servers.py" || failures=1
finish
