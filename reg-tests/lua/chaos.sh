#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Random scripts out of all functions of the API, with arguments that nobody would give, in every
# place where scripts run, under clients that break off anywhere (over HTTP/1.1, HTTP/2, TCP, the
# stats socket), servers that die, little memory and little time: a bad script costs its own
# request. In parts: "alone", one process; "workers" that are killed and reloaded; "memory",
# allocations that fail.
#
# The scripts are those of SEED (1). By hand: SEED=random, for others (it is printed),
# CHAOS_ROUNDS=N for as many runs with others, PARTS="alone workers memory", CHAOS_SECONDS=N (10)
# for longer parts, CHAOS_KEEP=FILE for the scripts and the log of the last part.
# Limit: 120 s
. "${0%/*}/../lib.sh"
"$PENSTOCK" -vv | grep -q '+LUA' || { say "this build has no Lua"; exit 77; }

"$PENSTOCK" -q -dKlua -c -f /dev/null >"$dir/api" 2>/dev/null
printf 'a 1\nb 2\n' >"$dir/map"
echo "key value" >"$dir/map.ref"
echo key >"$dir/map.lst"
set -- $(ports 3)
tcp=127.0.0.1:$1 h2=127.0.0.1:$2 other=127.0.0.1:$3

# lines WORDS: for each of the scripts.
lines() { for i in 0 1 2 3 4 5 6 7 8 9; do printf "\t$1\n" "$i" "$i"; done; }

# chaos_config LINES-OF-THE-GLOBAL-SECTION
chaos_config() {
	cat <<END
	tune.lua.forced-yield 200
	tune.lua.session-timeout 100ms
	tune.lua.service-timeout 100ms
	tune.lua.task-timeout 100ms
	tune.lua.burst-timeout 100ms
	tune.lua.maxmem 24
	$1
	lua-load $dir/chaos.lua
defaults
	mode http
	timeout connect 2s
	timeout client 2s
	timeout server 2s
	timeout tunnel 2s
	option redispatch
	option abortonclose # what is yielded again and again ends with its client
frontend fe
	bind $front
	bind $h2 proto h2
	acl plain path_beg /plain
$(lines 'http-request lua.a%d if { path /a%d }')
	http-request lua.deep if { path /deep }
	http-request lua.forget if { path /forget }
	http-request lua.many if { path /many }
$(lines 'http-request set-header X-F %%[lua.f%d] if { path /f%d }')
$(lines 'http-request set-header X-C %%[path,lua.c%d] if { path /c%d }')
$(lines 'http-request use-service lua.h%d if { path /h%d }')
$(lines 'http-response lua.a%d if { var(txn.r) -m str /r%d }')
$(lines 'http-after-response lua.a%d if { var(txn.r) -m str /x%d }')
	default_backend be
backend be
	http-request set-var(txn.r) path
	server s $back
listen tcp
	mode tcp
	bind $tcp
	tcp-request inspect-delay 50ms
	tcp-response inspect-delay 50ms
$(lines 'tcp-request content lua.a%d if { rand(20) %d }')
$(lines 'tcp-request content use-service lua.t%d if { rand(20) %d }')
$(lines 'tcp-response content lua.a%d if { rand(20) %d }')
	server s $back
listen other
	bind $other
	stick-table type string size 100 expire 1m store gpc0,http_req_rate(1m)
	http-request track-sc0 path
	http-request set-header x-m %[path,map($dir/map.ref)] if { path -f $dir/map.lst }
	server s $back check
	server b $back backup
END
}

# part NAME SEED
part() {
	say "## $1, SEED=$2"
	python3 "${0%/*}/chaos_scripts.py" "$2" "$dir/api" "$front" "$back" "$dir/map" >"$dir/chaos.lua" || exit 1
	case $1 in
	memory) chaos_config "tune.fail-alloc 3" ;;
	workers) chaos_config "nbproc 2" ;;
	*) chaos_config ;;
	esac | config
	if [ -n "${CHAOS_KEEP:-}" ]; then
		cp "$dir/chaos.lua" "$CHAOS_KEEP"
		cp "$dir/cfg" "$CHAOS_KEEP.cfg"
	fi
	case $1 in
	memory) start_penstock -dMfail ;;
	workers) start_workers ;;
	*) start_penstock ;;
	esac
	driver "${0%/*}/chaos.py" --part "$1" --tcp "$tcp" --h2 "$h2" --seed "$2" \
		--seconds "${CHAOS_SECONDS:-10}" || failures=$((failures + 1))
	stop_penstock
	[ "$failures" -eq 0 ] || [ -z "${CHAOS_KEEP:-}" ] || cp "$log" "$CHAOS_KEEP.log"
}

rounds=${CHAOS_ROUNDS:-1}
[ "$rounds" -eq 1 ] || SEED=random
while [ "$rounds" -gt 0 ] && [ "$failures" -eq 0 ]; do
	for name in ${PARTS:-alone workers memory}; do
		seed=${SEED:-1}
		[ "$seed" != random ] || seed=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')
		part "$name" "$seed"
	done
	rounds=$((rounds - 1))
done
finish
