#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# glitch_cnt and glitch_rate: the oddities of connections of HTTP/2 are counted in entries that the
# session tracks, since tcp-request connection or session, not in those of requests; rules see them
# with the next request, the table also when there is none any more.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || exit 77
config <<END
$(http_defaults)
frontend fe
	bind $front
	tcp-request connection track-sc0 src table connections
	tcp-request session track-sc1 src table sessions
	http-request track-sc2 src table requests
	http-request deny deny_status 429 if { sc0_glitch_rate gt 20 }
	http-request return status 200 hdr x-sc "%[sc0_glitch_cnt] %[sc1_glitch_rate] %[sc_glitch_cnt(2)]" hdr x-src "%[src_glitch_cnt(connections)] %[src,table_glitch_rate(sessions)]"
backend connections
	stick-table type ip size 10 expire 1h store glitch_cnt,glitch_rate(1h)
backend sessions
	stick-table type ip size 10 expire 1h store glitch_rate(1h)
backend requests
	stick-table type ip size 10 expire 1h store glitch_cnt
END
start_penstock
driver "${0%/*}/tracked_glitches.py" || failures=$((failures + 1))
finish
