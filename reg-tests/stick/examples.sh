#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Each configuration examples/limits-*.cfg does what its first lines promise, at its own rates: see
# examples.py. So does a HAProxy that knows its words. Each runs in a network of its own.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
unshare -n true 2>/dev/null || { say "needs the right to create a network namespace"; exit 77; }

# judge PROGRAM NAME: in $running.
judge() {
	mkdir -p "$dir/$2"
	timeout 120 unshare -n python3 "$srcdir/reg-tests/stick/examples.py" \
		"$1" "$srcdir/examples" "$dir/$2" "${2#*-}" >"$dir/$2/said" 2>&1 &
	children="$children $!"
	running="$running $!:$2"
}

# They wait most of their time: all run at once.
running=
for file in "$srcdir"/examples/limits-*.cfg; do
	name=$(basename "$file" .cfg)
	judge "$PENSTOCK" "penstock-$name"
	if judges_references && haproxy -c -f "$file" >/dev/null 2>&1; then judge haproxy "haproxy-$name"; fi
done
for one in $running; do
	wait "${one%%:*}" && pass "${one#*:}" || fail "${one#*:}"
	cat "$dir/${one#*:}/said"
done
finish
