#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Entries that a connection tracks are not cleared; keys of any bytes can be read; each worker says
# the same.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || exit 77
http_config "nbproc 3" <<END
frontend fe
	bind $front
	tcp-request connection track-sc0 src table addresses
	http-request return status 200 content-type text/plain lf-string "%[src,table_trackers(addresses)]" if { path /trackers }
	http-request return status 200 content-type text/plain lf-string "%[ipv4(192.0.2.9),table_trackers(addresses)]" if { path /none }
	http-request track-sc1 url_param(s),url_dec table strings if { path /key }
	http-request track-sc2 url_param(s),url_dec table bytes if { path /key }
	http-request track-sc1 url_param(s),url_dec table long if { path /long }
	http-request return status 200 content-type text/plain lf-string "%[str(k),table_inc_gpc(0,arrays)] %[str(k),table_inc_gpc1(arrays)] %[str(r),table_inc_gpc0(arrays)]" if { path /inc }
	http-request return status 200 content-type text/plain lf-string "%[str(k),table_clr_gpc0(arrays)] %[str(k),table_clr_gpc(1,arrays)] %[str(r),table_clr_gpc0(arrays)]" if { path /clr }
	http-request return status 200 content-type text/plain lf-string "%[url_param(s),table_inc_gpc0(one)]" if { path /full }
	http-request return status 200 content-type text/plain lf-string "%[str(k),table_idle(arrays)]" if { path /idle } { str(k),in_table(arrays) }
	http-request set-var(txn.n) str(k),table_inc_gpc0(arrays) if { path /inc-idle }
	http-request return status 200 content-type text/plain lf-string "%[str(k),table_idle(arrays)]" if { path /inc-idle }
	http-request return status 200
backend addresses
	stick-table type ip size 100 expire 2s store gpc0,conn_cnt,conn_cur
backend arrays
	stick-table type string size 100 expire 1h store gpc(2),gpc_rate(2,1h)
backend one
	stick-table type string size 1 nopurge store gpc0
backend shared
	stick-table type ip size 100 store gpc0
backend strings
	stick-table type string len 16 size 100 store gpc0
backend bytes
	stick-table type binary len 12 size 100 store gpc0
backend long
	stick-table type string len 16384 size 10 store gpc(100),gpt(100),gpc_rate(100,1h)
END
start_workers
driver "$srcdir/reg-tests/stick/tracked.py" || failures=$((failures + 1))
finish
