#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Random scripts out of all functions of the API, with arguments that nobody would give, in every place
# where scripts run, under clients that break off anywhere, servers that die, little memory and little
# time: a bad script costs its own request. The seed is printed; SEED=N repeats a run, CHAOS_SECONDS=N
# (20) makes it longer, CHAOS_KEEP=FILE keeps the scripts.
. "${0%/*}/../lib.sh"
"$PENSTOCK" -vv | grep -q '+LUA' || { say "this build has no Lua"; exit 77; }

seed=${SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
say "SEED=$seed"
"$PENSTOCK" -q -dKlua -c -f /dev/null >"$dir/api" 2>/dev/null
python3 "${0%/*}/chaos_scripts.py" "$seed" "$dir/api" >"$dir/chaos.lua" || exit 1
[ -z "${CHAOS_KEEP:-}" ] || cp "$dir/chaos.lua" "$CHAOS_KEEP"
tcp=127.0.0.1:$(ports 1)
echo "key value" >"$dir/chaos.map"
echo key >"$dir/chaos.lst"

# lines WORDS: for each of the scripts.
lines() { for i in 0 1 2 3 4 5 6 7 8 9; do printf "\t$1\n" "$i" "$i"; done; }
{
	cat <<END
	tune.lua.forced-yield 200
	tune.lua.session-timeout 100ms
	tune.lua.service-timeout 100ms
	tune.lua.burst-timeout 100ms
	tune.lua.maxmem 24
	lua-load $dir/chaos.lua $dir
defaults
	mode http
	timeout connect 2s
	timeout client 2s
	timeout server 2s
	timeout tunnel 2s
	option redispatch
frontend fe
	bind $front
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
backend other
	http-request set-header x-m %[path,map($dir/chaos.map)] if { path -f $dir/chaos.lst }
	server s 127.0.0.1:1
backend be
	http-request set-var(txn.r) path
	option abortonclose
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
END
} | config
[ -z "${CHAOS_KEEP:-}" ] || cp "$dir/cfg" "$CHAOS_KEEP.cfg"
start_penstock
driver "${0%/*}/chaos.py" --tcp "$tcp" --seed "$seed" --seconds "${CHAOS_SECONDS:-20}" || failures=1
finish
