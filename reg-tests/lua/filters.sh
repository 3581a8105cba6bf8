#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Filters that are scripts: every byte of bodies and streams through up to three of them, over each
# protocol and among other filters; clients and servers that break off; functions that fail, never
# end or keep everything; objects beyond their life; reloads, several workers, little memory. A bad
# filter costs its own stream, and nothing of one message ever reaches the next. By hand, with large
# bodies of 5 MB: LARGE=5242880.
# Limit: 120 s
. "${0%/*}/../lib.sh"
. "${0%/*}/../tls/certs.sh"
"$PENSTOCK" -vv | grep -q '+LUA' || { say "this build has no Lua"; exit 77; }
"$PENSTOCK" -vv | grep -q '+ZLIB' || { say "this build has no zlib"; exit 77; }
command -v python3 >/dev/null || { say "needs python3"; exit 77; }

authority ca
signed site ca www.example.com
driver=$srcdir/reg-tests/lua/filters.py

# part NAME START: its configuration, penstock, the test
part() {
	say "## $1"
	driver "$driver" --pem "$certs/site.pem" --part "$1" --scripts "$srcdir/reg-tests/lua/filters.lua" --print |
		config
	"$2"
	driver "$driver" --pem "$certs/site.pem" --part "$1" || fail "$1"
	stop_penstock
}

start_failing() { start_penstock -dMfail; }

for one in ${PARTS:-bytes small large tcp bad ends kept}; do
	part "$one" start_penstock
done
for one in ${FAILING:-memory}; do
	part "$one" start_failing
done
for one in ${WORKERS:-reload workers}; do
	part "$one" start_workers
done
finish
