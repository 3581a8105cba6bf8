#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Four workers at full load count into one entry: its rate and its count are the number of requests,
# and each worker sees the same limit. See rates_workers.py.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || exit 77
http_config "nbproc 4" <<END
frontend fe
	bind $front
	http-request track-sc0 src table t
	http-request return status 200 hdr x-pid %pid
backend t
	stick-table type ip size 100 expire 1h store http_req_cnt,http_req_rate(1h),conn_cnt,conn_rate(1h),conn_cur
END
start_workers
driver "$srcdir/reg-tests/stick/rates_workers.py" || failures=$((failures + 1))
finish
