#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# -d shows when a stream begins, whom it is about to reach, and how it ends, with the descriptors of
# both sides; a stream that reaches nobody has no line in between.
. "${0%/*}/../lib.sh"

config <<END
defaults
	mode http
	timeout connect 30s
	timeout client 1m
	timeout server 1m
frontend web
	bind $front
	http-request deny if { path /no }
	default_backend app
backend app
	server s1 unix@$dir/origin.sock
frontend origin
	bind unix@$dir/origin.sock
	http-request return status 200
END
start_penstock -d
driver "${0%.sh}.py" || failures=1
stop_penstock

grep -o ':web\..*' "$log" | sed -E 's/ffff/none/g; s/\([0-9a-f]{4}\)=[0-9a-f]{4}/(L)=C/; s/\[[0-9a-f]{4}:/[C:/; s/:[0-9a-f]{4}\]/:S]/; s/ [0-9]+\/[0-9]+:.*//; s/ from .*//' >"$dir/said"
cat >"$dir/wanted" <<'END'
:web.accept(L)=C
:web.connected[C:S] app/s1
:web.closed[C:S] app/s1 --
:web.accept(L)=C
:web.closed[C:none] web/<NOSRV> PR
END
check "the lines of -d" diff "$dir/wanted" "$dir/said"
finish
