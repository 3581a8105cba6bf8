#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Servers of HTTP/2 that do what comes to their mind: RST_STREAM, GOAWAY or the end of the
# connection at any frame and in the middle of one, settings that change, windows of a byte, some
# that never grow, silence, frames that are none. Each request ends in bounded time, a good answer
# is whole, a good server behind them is used again, and nothing is left. By hand, longer:
# SECONDS_LONG=60 SEED=7.
. "${0%/*}/../lib.sh"

plain=127.0.0.1:$(ports 1)
config <<END
defaults
	mode http
	timeout connect 300ms
	timeout queue 300ms
	timeout client 20s
	timeout server 500ms
frontend fe
	bind $front proto h2
	bind $plain proto h1
	default_backend be
backend be
	http-reuse always
	option redispatch 1
	server s1 $back proto h2
END
start_penstock
driver "${0%/*}/faulty_servers.py" --plain "$plain" --seconds "${SECONDS_LONG:-6}" \
	--seed "${SEED:-1}" || failures=1
stop_penstock
finish
