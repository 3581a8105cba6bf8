#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Targets of the log with a log-profile get its lines, step by step; log-steps says at which steps
# there are lines; do-log writes one at once, in each list of rules; %OG tells the step.
. "${0%/*}/../lib.sh"

set -- $(ports 4)
plain=127.0.0.1:$1 steps=127.0.0.1:$2 tcp=127.0.0.1:$3 handshake=127.0.0.1:$4
log_to() { printf '\tlog unix@%s len 4096 format %s %s local0\n' "$dir/$1" "$2" "$3"; }
{
	cat <<X
	log unix@$dir/global len 4096 format raw profile closing local0
defaults
	mode http
	timeout connect 30s
	timeout client 2m
	timeout server 2m
	timeout http-request 200ms
log-profile closing
	on close format "closing %ST %OG"
log-profile mine
	log-tag my-tag
	on error format "%{+json}o %(step)OG %(request)r"
	on accept drop
	on close format "%{+json}o %(step)OG %(status)ST %(uri)HU" sd "[mine@1 s=\"%ST\"]"
	on tcp-req-conn format "conn %OG %[src]"
	on tcp-req-sess format "sess %OG %[src]"
	on tcp-req-cont format "cont %OG %[req.len,bool]"
	on http-req format "req %OG %[req.hdr(x-a)] %[path]"
	on http-res format "res %OG %[res.hdr(x-b)] %HU"
	on http-after-res drop
	on any format "any %OG"
log-profile other
	on any format "other %OG"
frontend plain
	bind $plain
	log global
X
	log_to mine rfc5424 'profile mine'
	log_to none raw ''
	cat <<X
	log-format "plain %OG %ST %r"
	tcp-request connection do-log
	tcp-request session do-log
	tcp-request content do-log
	http-request do-log if { path_beg /log }
	http-request do-log profile other if { path_beg /log }
	http-response do-log
	http-after-response do-log
	default_backend live
backend live
	server s $back
frontend origin
	bind $back
	http-request return status 200 hdr x-b b
frontend steps
	bind $steps
X
	log_to steps raw ''
	log_to steps.profile raw 'profile mine'
	printf '\tlog-steps all\n\tlog-format "%%OG %%ST %%B"\n\tdefault_backend live\n'
	printf 'frontend tcp\n\tmode tcp\n\tbind %s\n' "$tcp"
	log_to tcp raw ''
	log_to tcp.profile raw 'profile other'
	printf '\tlog-steps accept,connect,close\n\tlog-format "%%OG %%B"\n'
	printf '\tdefault_backend tcplive\n'
	printf 'backend tcplive\n\tmode tcp\n\ttcp-response content do-log\n\tserver s %s\n' "$back"
	printf 'frontend handshake\n\tbind %s accept-proxy\n\terror-log-format "failed %%OG"\n' "$handshake"
	log_to handshake raw ''
	log_to handshake.profile raw 'profile other'
	printf '\tlog-steps close\n\tdefault_backend live\n'
} | config
start_penstock
driver "$srcdir/reg-tests/log/profiles.py" --plain "$plain" --steps "$steps" --tcp "$tcp" --handshake "$handshake"
[ $? -eq 0 ] || failures=1
finish
