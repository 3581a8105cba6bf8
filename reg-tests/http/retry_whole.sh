#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A request that is sent once more is sent from its first byte to its last, and no byte twice:
# though the server before has taken a part of it only, or has reset the connection just before it
# came.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
config <<END_CONFIG
	tune.sndbuf.server 4608
defaults
	mode http
	timeout connect 100s
	timeout client 100s
	timeout server 100s
	retries 3
	retry-on empty-response response-timeout
	http-reuse always
frontend fe
	bind $front
	default_backend be
	use_backend impatient if { method POST }
backend be
	server s1 $back
backend impatient
	timeout server 3s
	server s1 $back
END_CONFIG
start_penstock
timeout 100 python3 "${0%.sh}.py" "${front##*:}" "${back##*:}" "$pid" || fail "see above"
stop_penstock
finish
