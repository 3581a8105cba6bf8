#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# filter bwlim-in, bwlim-out with a key: streams with the same key have the limit together, alone
# and with workers, whatever they do with theirs; others, and those without a key, are not held up.
# A haproxy that has this filter takes the same time.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }

config <<END
defaults
	mode http
	timeout connect 30s
	timeout client 30s
	timeout server 30s
frontend fe
	bind $front
	filter bwlim-out down limit 200k key src table down
	filter bwlim-in up key req.hdr(x-token) table up limit 100k min-size 1448
	http-request set-bandwidth-limit down if { path_beg /down }
	http-request set-bandwidth-limit up if { path_beg /up }
	http-request set-var(txn.name) url_param(name) if { path_beg /named }
	filter bwlim-out named limit 100k key var(txn.name)
	http-response set-bandwidth-limit named
	stick-table type string size 100 expire 1m store bytes_out_rate(500ms)
	default_backend be
backend be
	server s $back
backend down
	stick-table type ip size 100 expire 1m store bytes_out_rate(1s)
backend up
	stick-table type string size 100 expire 1m store bytes_in_rate(1s)
END


start_penstock
say "## alone"
driver "${0%.sh}.py" || failures=$((failures + 1))
stop_penstock
sed -i 's/^global$/global\n\tnbproc 2/' "$dir/cfg"
start_workers
say "## two workers"
driver "${0%.sh}.py" || failures=$((failures + 1))
stop_penstock
if haproxy -vv 2>/dev/null | grep -q BWLIM && [ "$PENSTOCK" != haproxy ]; then
	sed -i '/nbproc/d' "$dir/cfg"
	PENSTOCK=haproxy
	start_penstock
	say "## haproxy"
	driver "${0%.sh}.py" || failures=$((failures + 1))
fi
finish
