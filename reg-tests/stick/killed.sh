#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Three workers follow entries of one table under load. A worker that is killed gives back what its
# connections held: conn_cur and use are those of the connections that are left. A reload keeps the
# table, and one whose definition has changed begins anew, with a line in the log.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || exit 77
# Lines.
configuration() {
	printf '\tnbproc 3\n'
	http_defaults
	cat <<-END
	frontend fe
		bind $front
		tcp-request connection track-sc0 src table addresses
		http-request track-sc1 url_param(k) table keys
		http-request return status 200 content-type text/plain string ok
	backend addresses
		stick-table type ip size 1k expire 1h store conn_cur,conn_cnt,http_req_cnt
	backend keys
		stick-table type string len 8 size 100 expire 1h store http_req_cnt,http_req_rate(1h),gpc0
	END
}
configuration | config
start_workers
driver "${0%/*}/killed.py" || failures=1
finish
