#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# show stick-tables: the lines of show table, then what they come to, with the memory that the
# tables have taken: as much as the kernel has given for them.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || exit 77
http_config "nbproc 2" <<END
frontend fe
	bind $front
	http-request return status 200
backend ip
	stick-table type ip size 100 store gpc0
backend texts
	stick-table type string len 50 size 1m store gpc0,conn_rate(1m)
END
start_workers
own_driver
finish
