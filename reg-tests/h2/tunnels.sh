#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What asks for a tunnel (Upgrade, CONNECT, extended CONNECT; clients of HTTP/1 and HTTP/2) has no
# body: no byte behind it reaches a server that has not agreed, of HTTP/1 or HTTP/2, whatever that
# answers, whoever waits for bodies, looks at them or repeats requests. Others who share the
# servers' connections get their own answers.
. "${0%/*}/../lib.sh"

python_with h2 || { say "python3-h2 is not installed"; exit 77; }
late=127.0.0.1:$(ports 1)
h2=127.0.0.1:$(ports 1)
h1=127.0.0.1:$(ports 1)
nobody=127.0.0.1:$(ports 1)
lua= script=
if "$PENSTOCK" -vv | grep -q '+LUA'; then
	cat >"$dir/look.lua" <<'END'
core.register_action("look", { "http-req" }, function(txn)
	txn:set_var("txn.body", txn.f:req_body())
	txn.http:req_set_header("x-looked", txn.f:req_body_len())
end)
local look = { id = "look", flags = 0 }
look.__index = look
function look:new() return setmetatable({}, look) end
function look:start_analyze(txn, chn) filter.register_data_filter(self, chn) end
function look:http_headers(txn, msg) end
function look:http_payload(txn, msg) msg:forward(msg:input()) end
function look:http_end(txn, msg) end
core.register_filter("look", look, function(f, args) return f end)
END
	script="lua-load $dir/look.lua"
	lua="backend lua
	http-request lua.look
	filter lua.look
	http-reuse always
	server s $back
backend lua2
	http-request lua.look
	filter lua.look
	http-reuse always
	server s $h2 proto h2"
fi
config <<END
	$script
$(http_defaults)
	timeout http-request 5s
frontend f1
	bind $front proto h2
	http-request deny if { path_beg /admin }
	use_backend %[req.hdr(x-backend)]
frontend f0
	bind $h1
	http-request deny if { path_beg /admin }
	use_backend %[req.hdr(x-backend)]
backend safe
	server s $back
backend always
	http-reuse always
	server s $back
backend buffers
	option http-buffer-request
	http-reuse always
	server s $back
backend waits
	http-request wait-for-body time 5s
	http-reuse always
	server s $back
backend retries
	retry-on all-retryable-errors
	http-reuse always
	server s $back
backend limits
	filter bwlim-in up default-limit 1m default-period 1s
	http-request set-bandwidth-limit up
	http-reuse always
	server s $back
backend redispatch
	option redispatch 1
	retries 2
	http-reuse always
	balance first
	server dead $nobody
	server s $back
backend never
	timeout server 200ms
	http-reuse always
	server s $back
backend late
	http-reuse always
	server s $late proto h2
backend h2
	http-reuse always
	server s $h2 proto h2
backend safe2
	server s $h2 proto h2
backend buffers2
	option http-buffer-request
	http-reuse always
	server s $h2 proto h2
backend waits2
	http-request wait-for-body time 5s
	http-reuse always
	server s $h2 proto h2
backend retries2
	retry-on all-retryable-errors
	http-reuse always
	server s $h2 proto h2
backend limits2
	filter bwlim-in up default-limit 1m default-period 1s
	http-request set-bandwidth-limit up
	http-reuse always
	server s $h2 proto h2
backend redispatch2
	option redispatch 1
	retries 2
	http-reuse always
	balance first
	server dead $nobody
	server s $h2 proto h2
backend never2
	timeout server 200ms
	http-reuse always
	server s $h2 proto h2
$lua
END
start_penstock
driver "${0%/*}/tunnels.py" --late "$late" --h2 "$h2" --h1 "$h1" ${lua:+--lua} || failures=1
stop_penstock
finish
