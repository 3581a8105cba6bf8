#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The life of an entry that a connection tracks is renewed when that begins, and by all that is
# counted or set in it, as far as the table stores it; not by what is only asked; and at the end of
# the connection where the table stores conn_cur. sc-add-gpc adds. So does the HAProxy 2.8 that
# HAPROXY28 names.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || exit 77
# what the table stores | the rule of requests | renewed by: request, end or nothing
ways='gpc0|sc-inc-gpc0(0)|request
gpc0|set-var(txn.a) sc0_inc_gpc0|request
gpc0|set-var(txn.a) sc0_clr_gpc0|request
gpc0|set-var(txn.a) sc0_get_gpc0|nothing
gpc0_rate(1m)|sc-inc-gpc0(0)|request
gpc(2)|sc-add-gpc(1,0) 5|request
gpt0|sc-set-gpt0(0) 5|request
gpt(2)|sc-set-gpt(1,0) 5|request
http_req_cnt|set-var(txn.a) int(1)|request
http_req_rate(1m)|set-var(txn.a) int(1)|request
http_err_cnt|deny|request
bytes_in_cnt|set-var(txn.a) int(1)|request
bytes_out_rate(1m)|set-var(txn.a) int(1)|request
conn_cnt,conn_rate(1m)|set-var(txn.a) sc0_conn_cnt|nothing
sess_cnt|set-var(txn.a) int(1)|nothing
http_fail_cnt|set-var(txn.a) int(1)|nothing
conn_cur|set-var(txn.a) int(1)|end'

configuration() {
	http_defaults
	echo "$ways" | while IFS='|' read -r stored rule _; do
		count=$((count + 1))
		cat <<-END
		frontend f$count
			bind unix@$dir/$count.sock
			tcp-request connection track-sc0 int(1) table t$count
			http-request $rule
			http-request return status 200
		backend t$count
			stick-table type integer size 10 expire 1h store $stored
		END
	done
}

for program in "$PENSTOCK" "${HAPROXY28:-}"; do
	[ -x "$program" ] || continue
	say "# $program"
	count=0
	configuration | config
	echo "$ways" >"$dir/ways"
	PENSTOCK=$program
	start_penstock
	driver "${0%/*}/life.py" || failures=$((failures + 1))
	stop_penstock
done
[ "$failures" -eq 0 ]
