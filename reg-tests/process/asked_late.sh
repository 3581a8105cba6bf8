#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Who asks a process that finishes: whole answers, but they do not keep it for ever; a stats socket
# that a reload takes away loses nobody who waits in its queue; who asks for a reload while one ends
# hears of his.
. "${0%/*}/../lib.sh"

run() {
	driver "${0%.sh}.py" --cfg "$dir/cfg" --second "$dir/second.sock" --part "$1"
	check "part $1" test $? -eq 0
}

say "## one process"
{
	http_proxy
	printf 'frontend gone\n\tbind 127.0.0.1:%s\n' "$(ports 1)"
} | config
start_penstock
run one
wait "$pid"
check "it ended by itself, with 0" test $? -eq 0
pid=

say "## a socket that is wanted no more"
rm -f "$stats"
{
	printf '\tnbproc 2\n\tstats socket %s level admin\n' "$dir/second.sock"
	http_proxy
} | config
start_workers
run away
stop_penstock

say "## two reloads"
{
	printf '\tnbproc 2\n'
	http_proxy
} | config
start_workers
run two
finish
