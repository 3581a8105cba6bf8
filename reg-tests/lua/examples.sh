#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Each script of examples/lua/ does what its first lines promise, with one worker and with several:
# see examples.py. So it does in a HAProxy that is at hand. Each runs in a network of its own.
# Limit: 120 s
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
unshare -n true 2>/dev/null || { say "needs the right to create a network namespace"; exit 77; }
"$PENSTOCK" -vv | grep -q '+LUA' || { say "this build has no Lua"; exit 77; }
examples=$srcdir/examples/lua

# Their files stand in a folder that is not here: copies name another one.
mkdir "$dir/lua"
for file in "$examples"/*; do
	sed "s,/etc/penstock/lua,$dir/lua,g" "$file" >"$dir/lua/${file##*/}"
done

# judge PROGRAM NAME WORKERS: in $running.
judge() {
	mkdir -p "$dir/$2"
	timeout 150 unshare -n python3 "$srcdir/reg-tests/lua/examples.py" \
		"$1" "$examples" "$dir/$2" "${2#*.}" "$3" >"$dir/$2/said" 2>&1 &
	children="$children $!"
	running="$running $!=$2"
}

# They wait most of their time: all run at once.
running=
for file in "$examples"/*.cfg; do
	name=$(basename "$file" .cfg)
	check "$name is valid" "$PENSTOCK" -c -q -f "$dir/lua/$name.cfg"
	judge "$PENSTOCK" "one.$name" 1
	judge "$PENSTOCK" "three.$name" 3
	judges_references && command -v haproxy >/dev/null || continue
	check "$name is valid for HAProxy" haproxy -c -q -f "$dir/lua/$name.cfg"
	judge haproxy "haproxy.$name" 0
done
for one in $running; do
	wait "${one%%=*}" && pass "${one#*=}" || fail "${one#*=}"
	cat "$dir/${one#*=}/said"
done
finish
