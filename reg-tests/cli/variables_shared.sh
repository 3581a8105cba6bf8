#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What "set var" evaluates is the same in all workers, whatever the expression gives elsewhere, and
# in replacements of workers that have died.
. "${0%/*}/../lib.sh"

{
	printf '\tnbproc 4\n'
	http_defaults
	printf 'frontend f\n\tbind %s\n\thttp-request return status 200 hdr value "%%[proc]=%%[var(proc.x)]"\n' "$front"
} | config
start_workers
values() {
	for _ in $(seq 60); do
		curl -s -o /dev/null -D - "http://$front/" | tr -d '\r' | sed -n 's/^[Vv]alue: //p'
	done >"$dir/values"
	cut -d= -f2 "$dir/values" | sort -u
}
workers() { cut -d= -f1 "$dir/values" | sort -u | wc -l; }
ask "experimental-mode on; set var proc.x rand(1000000),add(1)" >/dev/null
value=$(ask "get var proc.x" | sed -n 's/.*value=<\(.*\)>/\1/p')
check "a value was set: $value" test "${value:-0}" -gt 0
check "all workers have it" test "$(values)" = "$value"
check "more than one answered: $(workers)" test "$(workers)" -gt 1
victim=$(pgrep -P "$pid" | head -1)
kill -9 "$victim"
replaced() {
	values >/dev/null && ! pgrep -P "$pid" | grep -qx "$victim" && [ "$(workers)" -eq 4 ]
}
until_true 20 replaced
check "a replacement has it, too: $(workers) workers" test "$(cut -d= -f2 "$dir/values" | sort -u)" = "$value"
finish
