#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# "rate-limit sessions": more than that many a second wait in the kernel, none is refused; and so
# do the limits of the process, maxsessrate and maxconnrate.
. "${0%/*}/../lib.sh"

now_ms() { echo $(($(date +%s%N) / 1000000)); }

# highest COLUMN: of the frontend in show stat.
highest() {
	ask "show stat" | awk -F, -v name="$1" '
		/^# /  { for (i = 1; i <= NF; i++) if ($i == name || $i == "# " name) column = i }
		$1 == "fe" && $2 == "FRONTEND" { print $column }'
}

# limited NAME: 20 connections at once, at most 10 a second: the last ones come a second later.
limited() {
	start_penstock
	start=$(now_ms)
	"$tool" -f "$front" -b "$back" -n 20 -z 100 transfer || fail "$1: a connection was lost"
	took=$(($(now_ms) - start))
	check "$1: 20 sessions took $took ms, at least 900" test "$took" -ge 900
	most=$(highest rate_max)
	check "$1: $most sessions in a second, at most 10" test "${most:-99}" -le 10
	stop_penstock
}

tcp_proxy "rate-limit sessions 10" | config
limited "rate-limit sessions"
{ printf '\tmaxsessrate 10\n'; tcp_proxy; } | config
limited maxsessrate
{ printf '\tmaxconnrate 10\n'; tcp_proxy; } | config
limited maxconnrate

tcp_proxy | config
start_penstock
ask "set rate-limit sessions global 10" >"$dir/answer"
start=$(now_ms)
"$tool" -f "$front" -b "$back" -n 20 -z 100 transfer || fail "a connection was lost"
took=$(($(now_ms) - start))
check "set rate-limit: 20 sessions took $took ms, at least 900" test "$took" -ge 900
finish
