#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Content rules that look at bytes, in mode http: what they wait for of a body stays a body for
# those who see, decode or compress it behind them; and nobody waits longer than they say.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
counts=127.0.0.1:$(ports 1)
silent=127.0.0.1:$(ports 1)
config <<END_CONFIG
defaults
	mode http
	timeout connect 100s
	timeout client 100s
	timeout server 100s
	compression algo gzip
frontend looks
	bind $front
	tcp-request inspect-delay 100ms
	tcp-request content accept if { req.len gt 1000000 }
	http-request wait-for-body time 100s if { path /wait }
	default_backend be
backend be
	tcp-response inspect-delay 100ms
	tcp-response content accept if { res.len gt 1000000 }
	server s1 $back
frontend counts
	bind $counts
	tcp-request inspect-delay 100s
	tcp-request content accept if { req.len gt 99 }
	http-request return status 200 hdr len "%[req.len]"
frontend leaves
	bind $silent
	timeout client 500ms
	http-request wait-for-body time 50s at-least 3
	http-request return status 200
END_CONFIG
start_penstock
timeout 100 python3 "${0%.sh}.py" "${front##*:}" "${back##*:}" "${counts##*:}" "${silent##*:}" ||
	fail "see above"
stop_penstock
finish
