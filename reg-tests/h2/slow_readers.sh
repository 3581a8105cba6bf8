#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Limit: 120 s
# Clients that take nothing of what a server of HTTP/2 sends cost little: the window of a stream is
# no larger than it began, and the least where others keep much already, or where the client has
# none. One that reads gets all the same, to the byte. Clients whose own windows stay at 64 kB cost
# no more than those let pass.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
sanitized && { say "a sanitizer keeps memory for itself"; exit 77; }
h2=127.0.0.1:$(ports 1)
config <<END
	maxconn 1000
$(http_defaults)
	timeout client 1m
	timeout server 1m
frontend fe
	bind $front
	bind $h2 proto h2
	default_backend be
backend be
	server s1 $back proto h2
END
start_penstock
driver "${0%/*}/slow_readers.py" --h2 "$h2" || failures=1
stop_penstock
start_penstock
driver "${0%/*}/slow_readers.py" --h2 "$h2" --usual || failures=1
finish
