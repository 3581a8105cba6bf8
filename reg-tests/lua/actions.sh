#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What actions that are scripts cannot do: use objects of other streams, go on behind txn:done, give
# answers that are none, change what frames a message, take more memory, names or time than they
# may, fill the log with their errors.
. "${0%/*}/../lib.sh"

"$PENSTOCK" -vv | grep -q '+LUA' || exit 77
tcp=127.0.0.1:$(ports 1)
inner=127.0.0.1:$(ports 1)
aborts=127.0.0.1:$(ports 1)
config <<END
	lua-load ${0%/*}/actions.lua
	tune.lua.maxmem 40
defaults
	mode http
	timeout client 2m
	timeout server 2m
	timeout connect 2m
frontend fe
	bind $front
	http-request set-var(txn.act) path,field(2,/)
$(sed -n 's/^\(judge\|action\)("\([a-z_]*\)".*/\2/p' "${0%/*}/actions.lua" | grep -v '_res$' |
	sed 's/.*/	http-request lua.& if { path \/& }/')
$(for way in plain pcall xpcall loop coroutine resume sort metamethod close; do
	echo "	http-request lua.done_$way if { path /done_$way }"
done)
$(for bad in body value line name blank void zero reason interim low high negative far many; do
	echo "	http-request lua.bad_$bad if { path /bad_$bad }"
done)
	http-request return status 200 content-type text/plain string behind unless { path /frames /fill }
	http-response lua.frames_res
	default_backend be
backend be
	server s $inner
frontend inner
	bind $inner
	http-request wait-for-body time 1m
	http-request return status 200 content-type text/plain lf-string "%[req.hdr(content-length)] %[req.hdr_cnt(transfer-encoding)] %[req.body]"
frontend tcp
	mode tcp
	bind $tcp
	tcp-request inspect-delay 300ms
	tcp-request content lua.sleeps
	tcp-request content lua.forever
	tcp-request content reject
listen aborts
	bind $aborts
	option abortonclose
	http-request lua.sleeps if { path /sleeps }
	http-request lua.forever if { path /forever }
	http-request return status 200 content-type text/plain string behind if { path /sleeps /forever }
	http-response lua.waits_res
	server s $inner
END
start_penstock
driver "${0%.sh}.py" "$tcp" "$aborts"
failures=$((failures + $?))
finish
