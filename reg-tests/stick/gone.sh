#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Clients that leave, by FIN and by RST, at each step of an exchange, over HTTP/1 and HTTP/2, as
# streams and as whole connections, with two workers: what was followed is followed no more, so
# conn_cur and use of each table go back to 0. So they do when an old generation holds the clients.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || exit 77
set -- $(ports 3)
h2=$1 refused=$2 slow=$3
http_config "nbproc 2" <<END
retries 1000
option abortonclose
timeout client 10m
timeout server 10m
timeout tarpit 4s
timeout queue 10m
frontend fe
	bind $front
	bind 127.0.0.1:$h2 proto h2
	tcp-request connection track-sc0 src table sessions
	http-request track-sc1 src table requests
	http-request wait-for-body time 10m if { path /body }
	http-request tarpit if { path /tarpit }
	use_backend refused if { path /refused }
	use_backend queue if { path /queue }
	default_backend be
backend be
	http-request track-sc2 src table behind
	server s $back
backend refused
	http-request track-sc2 src table behind
	server r 127.0.0.1:$refused
backend queue
	http-request track-sc2 src table behind
	server q 127.0.0.1:$slow maxconn 1
backend sessions
	stick-table type ip size 10 expire 1h store conn_cur,conn_cnt
backend requests
	stick-table type ip size 10 expire 1h store conn_cur,conn_cnt
backend behind
	stick-table type ip size 10 expire 1h store conn_cur,conn_cnt
END
start_workers
driver "${0%/*}/gone.py" --h2 "127.0.0.1:$h2" --slow "127.0.0.1:$slow" || failures=$((failures + 1))
finish
