#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A server leaves in the middle of a request, and the 502 is more than the client takes at once:
# what the client sends while a part of it waits goes nowhere, and the client gets all of the
# answer.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
{
	printf 'HTTP/1.0 502 Bad Gateway\r\n\r\n'
	head -c 16000 /dev/zero | tr '\0' x
} >"$dir/502.http"
config <<END_CONFIG
	tune.sndbuf.client 4608
defaults
	mode http
	timeout connect 10s
	timeout client 10s
	timeout server 10s
	errorfile 502 $dir/502.http
listen l
	bind $front
	server s1 $back
END_CONFIG
start_penstock
timeout 100 python3 "${0%.sh}.py" "${front##*:}" "${back##*:}" || fail "an answer was cut short"
stop_penstock
finish
