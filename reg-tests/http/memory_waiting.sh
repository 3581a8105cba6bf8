#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Clients that make us wait for the rest of a head or for a body cost little memory: a small buffer
# and an exchange without room for a response, or a page of a buffer beside it. A head that comes a
# byte at a time, or has more fields than lie with the exchange, is nevertheless read as it is.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
sanitized && { say "with a sanitizer objects have other sizes"; exit 77; }
[ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge 4096 ] || { say "too few descriptors"; exit 77; }
ulimit -n 4096
for case in half long body read; do
{
	printf '\tmaxconn 1600\n'
	http_defaults
	printf 'frontend fe\n\tbind %s\n\thttp-request wait-for-body time 100s if METH_POST\n' "$front"
	printf '\thttp-request return status 200 hdr got "%%[req.hdr_cnt(x)] %%[req.hdr(last)] %%[path]"\n'
} | config
start_penstock
driver "${0%.sh}.py" "$case" || fail "memory of clients that wait"
stop_penstock
done
finish
