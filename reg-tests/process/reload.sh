#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Reload under traffic: nothing is refused, reset or cut; a bad file changes nothing and is told.
# usage: reload.sh [ROUNDS]
. "${0%/*}/../lib.sh"

master=$dir/master.sock
parent_ask() { "$tool" -s "$master" ask "$1"; }
now() { parent_ask "show proc" | awk '/^# old/ { exit } $2 == "worker" { print $1 }'; }
old_gone() { ! parent_ask "show proc" | grep -q "^# old"; }
reloads() { parent_ask "show proc" | awk '$2 == "master" { print $3 }'; }
reloads_is() { [ "$(reloads)" = "$1" ]; }
descriptors() { find "/proc/$pid/fd" -mindepth 1 | wc -l; }
cat >"$dir/reload" <<END
"$tool" -s "$master" ask reload | grep -qx Success=1
END
rounds=${1:-20}

{
	printf '\tnbproc 2\n'
	http_proxy "option splice-response"
} | config
start_penstock -W -S "$master,level,admin"
first=$(now)
check "a first reload" sh "$dir/reload"
before=$(descriptors)
check "the workers are others" test "$first" != "$(now)"
python3 "$srcdir/reg-tests/process/reload.py" "${front%:*}" "${front#*:}" "${back#*:}" "sh $dir/reload" \
	"$rounds"
check "$rounds reloads lost nothing" test $? -eq 0
check "each was counted" test "$(reloads)" -eq $((rounds + 1))
check "the old workers leave" until_true 120 old_gone
after=$(descriptors)
check "descriptors of the parent: $before, $after now" test "$after" -le $((before + 2))

# ---- a bad file ------------------------------------------------------------------------------
workers=$(now)
cp "$dir/cfg" "$dir/good"
echo "nonsense" >>"$dir/cfg"
parent_ask reload >"$dir/answer"
check "a bad file is refused" grep -qx Success=0 "$dir/answer"
check "and why is said" grep -q "nonsense" "$dir/answer"
check "in the log, too" grep -q "Reload failed" "$log"
parent_ask "show startup-logs" >"$dir/answer"
check "and later" grep -q "nonsense" "$dir/answer"
check "the same workers serve" test "$workers" = "$(now)"

# ---- one that is well written, but cannot be served ------------------------------------------
sed "s/bind .*/&\n\tbind 127.0.0.1:0 interface nosuchinterface0/" "$dir/good" >"$dir/cfg"
parent_ask reload >"$dir/answer"
check "a file that cannot be served is refused" grep -qx Success=0 "$dir/answer"
check "the same workers serve on" test "$workers" = "$(now)"
at_least CumReq 1
cp "$dir/good" "$dir/cfg"
count=$(reloads)
kill -USR2 "$pid"
check "USR2 with a good file" until_true 60 reloads_is $((count + 1))
kill -HUP "$pid"
check "HUP reloads as well" until_true 60 reloads_is $((count + 2))
stop_penstock

# ---- another program in its place ------------------------------------------------------------
cp "$PENSTOCK" "$dir/program"
PENSTOCK=$dir/program
start_penstock -W -S "$master,level,admin"
cp "$PENSTOCK" "$dir/program.new"
mv "$dir/program.new" "$PENSTOCK"
old_program() { readlink "/proc/$pid/exe" | grep -q deleted; }
check "the program was replaced" old_program
check "reload takes the new one" sh "$dir/reload"
check "the parent is that" test "$(readlink "/proc/$pid/exe")" = "$PENSTOCK"
mv "$PENSTOCK" "$dir/away"
parent_ask reload >"$dir/answer"
check "without a program nothing changes" grep -qx Success=0 "$dir/answer"
at_least Pid 1
finish
