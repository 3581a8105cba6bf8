#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tune.h2.*: what a client is told in SETTINGS, with the words of both sides and those of one, and
# what happens above each limit.
. "${0%/*}/../lib.sh"
# limits LINES-OF-GLOBAL TEST
limits() {
	{
		printf '%s\n' "$1"
		http_proxy "" "" "" | sed "s/bind $front/& proto h2/"
	} | config
	start_penstock
	driver "$srcdir/reg-tests/h2/limits.py" --test "$2" || failures=1
	stop_penstock
}
limits "" usual
limits "	tune.h2.header-table-size 8192
	tune.h2.initial-window-size 10000
	tune.h2.max-concurrent-streams 7
	tune.bufsize 40000
	tune.h2.max-frame-size 20000
	tune.h2.be.initial-window-size 1
	tune.h2.be.max-concurrent-streams 1
	tune.h2.be.glitches-threshold 1" both
limits "	tune.h2.header-table-size 1024
	tune.h2.initial-window-size 10000
	tune.h2.max-concurrent-streams 7
	tune.h2.fe.initial-window-size 40000
	tune.h2.fe.max-concurrent-streams 3
	tune.h2.fe.max-total-streams 5
	tune.h2.fe.glitches-threshold 20" front
finish
