#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# maxcomprate and maxcompcpuusage: above them responses are not compressed, and those under way less
# from piece to piece, for all workers together; below them compression comes back.
. "${0%/*}/../lib.sh"

"$PENSTOCK" -vv | grep -q '+ZLIB' || exit 77

# service LINES-OF-GLOBAL
service() {
	{
		printf '%b\n' "$1"
		http_defaults
		printf 'listen l\n\tbind %s\n\thttp-reuse always\n\tcompression algo gzip\n' "$front"
		printf '\thttp-response set-header x-proc %%[proc]\n\tserver s %s\n' "$back"
	} | config
}


service '\tmaxcomprate 100'
start_penstock
driver "${0%.sh}.py" --what rate || failures=1
stop_penstock

service '\tmaxcomprate 100\n\tnbproc 2\n\ttune.maxaccept 1'
start_workers
driver "${0%.sh}.py" --what workers || failures=1
stop_penstock

service '\tmaxcompcpuusage 1'
start_penstock
driver "${0%.sh}.py" --what cpu || failures=1
stop_penstock

service '\tmaxcompcpuusage 100'
start_penstock
driver "${0%.sh}.py" --what free || failures=1
finish
