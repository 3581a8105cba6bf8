#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every number of "show stat" and "show info" behind a run in which its exact value is known: the
# books are kept by the test's own clients and servers (ledger.py), from what went over their
# sockets. What no such value exists for is listed there with its reason, and has bounds. A column,
# a line or a row of the tables of counters without a place in the ledger is a failure.
# Limit: 180 s
. "${0%/*}/../lib.sh"
. "${0%/*}/../tls/certs.sh"

python_with ssl || exit 77
authority ca
signed site ca www.example.com

# Each "@" becomes an address of its own.
addresses() {
	awk -v "list=$(ports 60)" '
		BEGIN { split(list, port, /[ \n]+/) }
		{ while (sub(/ @/, " 127.0.0.1:" port[n + 1])) n++; print }'
}

world() {
	cat <<END
	${1:-}
	node ledger
	maxconn 1000
	description the books
	stats socket $dir/ledger.sock level admin
defaults
	mode http
	option socket-stats
	maxconn 100
	fullconn 10
	retries 0
	timeout connect 1m
	timeout client 1m
	timeout server 1m

frontend plain
	bind @ name l
	default_backend plain_b
backend plain_b
	server s @

frontend sealed
	bind @ name l ssl crt $certs/site.pem alpn h2,http/1.1 ssl-max-ver TLSv1.2 no-tls-tickets
	default_backend sealed_b
backend sealed_b
	server s @ ssl verify none

frontend two
	bind @ name l proto h2
	default_backend two_b
backend two_b
	server s @

frontend rules
	bind @ name l
	timeout tarpit 20ms
	monitor-uri /monitor
	stats uri /stats
	tcp-request connection reject if { src 127.0.0.2 }
	tcp-request session reject if { src 127.0.0.3 }
	tcp-request content reject if { src 127.0.0.4 }
	http-request deny if { path /deny }
	http-request auth if { path /auth }
	http-request redirect location /x if { path /redirect }
	http-request return status 200 content-type text/plain string hello if { path /return }
	http-request silent-drop if { path /silent }
	http-request tarpit if { path /tarpit }
	http-request set-path "/a b" if { path /rewrite }
	http-request use-service prometheus-exporter if { path /metrics }
	default_backend rules_b
backend rules_b
	http-request deny if { path /deny-b }
	http-response deny if { status 418 }
	http-response silent-drop if { status 419 }
	tcp-response inspect-delay 1m
	tcp-response content reject if { res.hdr(x-no) yes }
	server s @

frontend faults
	bind @ name l
	default_backend faults_b
backend faults_b
	server s @

frontend refused
	bind @ name l
	default_backend refused_b
backend refused_b
	retries 2
	timeout connect 50ms
	server s @

frontend moved
	bind @ name l
	default_backend moved_b
backend moved_b
	balance first
	option redispatch 1
	retries 1
	timeout connect 300ms
	server gone @
	server s @

frontend again
	bind @ name l
	default_backend again_b
backend again_b
	retries 1
	retry-on empty-response 503
	server s @

frontend hurry
	bind @ name l
	timeout http-request 1s
	default_backend plain_b

frontend slow
	bind @ name l
	default_backend slow_b
backend slow_b
	timeout server 50ms
	server s @

frontend deaf
	bind @ name l
	default_backend deaf_b
backend deaf_b
	timeout connect 50ms
	server s @

frontend mute
	bind @ name l
	timeout client 1s
	default_backend mute_b
backend mute_b
	server s @

frontend line
	bind @ name l
	default_backend line_b
backend line_b
	server s @ maxconn 1

frontend late
	bind @ name l
	default_backend late_b
backend late_b
	timeout queue 50ms
	server s @ maxconn 1

frontend left
	bind @ name l
	default_backend left_b
backend left_b
	server s @

frontend small
	bind @ name l
	default_backend small_b
backend small_b
	compression algo gzip
	compression type text/plain
	server s @

frontend stuck
	bind @ name l
	default_backend stuck_b
backend stuck_b
	stick-table type string len 20 size 100
	stick on path
	server s @

frontend bytes
	mode tcp
	bind @ name l
	default_backend bytes_b
backend bytes_b
	mode tcp
	server s @

frontend checked
	bind @ name l
	default_backend checked_b
backend checked_b
	server s @ check inter 20ms fall 1 rise 1

frontend seen
	bind @ name l
	default_backend seen_b
backend seen_b
	server s @ check inter 20ms fall 3 rise 1 observe layer7 error-limit 2

frontend judged
	bind @ name l
	default_backend judged_b
backend judged_b
	server s @ check inter 1h fall 3 rise 1 observe layer7 error-limit 2 disabled

frontend held
	bind @ name l
	default_backend held_b
backend held_b
	server s @

frontend full
	bind @ name l
	maxconn 1
	default_backend full_b
backend full_b
	server s @
END
}

say "## one process"
world | addresses | config
start_penstock
driver "${0%.sh}.py" --workers 1 || fail "the books of one process"
stop_penstock
say "## two workers"
world "nbproc 2" | addresses | config
start_workers
driver "${0%.sh}.py" --workers 2 || fail "the books of two workers"
finish
