#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every key and data type goes between Penstock and HAProxy in both directions, whoever has called,
# and comes back after a restart of either: with Debian's HAProxy, and with the 2.8 that HAPROXY28
# names.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
# talk OTHER: in $running.
talk() {
	mkdir -p "$dir/$count"
	timeout 500 python3 "$srcdir/reg-tests/peers/talk_types.py" \
		"$dir/$count" "$PENSTOCK" "$1" >"$dir/$count.said" 2>&1 &
	children="$children $!"
	running="$running $!:$count"
	count=$((count + 1))
}

# Both at once: they wait most of their time.
running= count=0
for other in haproxy "${HAPROXY28:-}"; do
	[ -n "$other" ] && command -v "$other" >/dev/null && "$other" -v >/dev/null 2>&1 || continue
	say "$count: $("$other" -v | head -n 1)"
	talk "$other"
done
[ "$count" -gt 0 ] || { say "needs haproxy"; exit 77; }
for one in $running; do
	wait "${one%%:*}" && pass "${one#*:}" || fail "${one#*:}"
	cat "$dir/${one#*:}.said"
done
check "no report of a sanitizer" \
	test -z "$(grep -rE 'AddressSanitizer|LeakSanitizer|runtime error:' "$dir" --include=*.log)"
finish
