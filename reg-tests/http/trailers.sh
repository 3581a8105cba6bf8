#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Trailers behind bodies of which the chunks are taken off and put on again: responses that are
# compressed and requests that are waited for. Those that are too long to be kept are dropped, and
# clients of HTTP/1.0 get none; nothing is left of them in the next message. What would frame or
# route a message is dropped of a response's trailers, and refused in a request's.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "python3 is not installed"; exit 77; }
http_proxy "http-reuse always" "" "compression algo gzip
	http-request wait-for-body time 20s if { path /wait }" | config
start_penstock
timeout 100 python3 "${0%.sh}.py" "${front##*:}" "${back##*:}" || fail "trailers"
finish
