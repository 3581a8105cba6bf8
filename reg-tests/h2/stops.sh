#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# SIGUSR1 with streams of HTTP/2 open on both sides: they are answered, clients and servers see
# GOAWAY, no stream begins, the process leaves with 0. hard-stop-after: at the latest after that
# time.
. "${0%/*}/../lib.sh"

python_with h2 || { say "python3-h2 is not installed"; exit 77; }
for limit in "" "hard-stop-after 300ms"; do
	say "## ${limit:-soft stop}"
	config <<END
	$limit
$(http_defaults)
frontend fe
	bind $front proto h2
	default_backend be
backend be
	http-reuse always
	server s1 $back proto h2
END
	start_penstock
	driver "${0%/*}/stops.py" ${limit:+--hard} || failures=1
	wait "$pid"
	check "it leaves with 0" test $? -eq 0
	pid=
	[ -z "$limit" ] || check "it said why" grep -q "performing a hard-stop" "$log"
done
finish
