#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Signals that come while the program starts (a script of Lua runs) wait until it serves: none ends
# it but TERM and INT. Programs that it executes, at the start, behind a reload, while it serves and
# as external checks, have no signal blocked or ignored.
. "${0%/*}/../lib.sh"
"$PENSTOCK" -vv | grep -q '+LUA' || { say "this build has no Lua"; exit 77; }

# The first to load it waits where the test is told so: nothing else may be sent to it before.
cat >"$dir/early.lua" <<END
local wait = io.open("$dir/wait")
if wait then
	wait:close()
	os.remove("$dir/wait")
	io.open("$dir/here", "w"):close()
	io.open("$dir/go"):read("a")
end
os.execute("cat /proc/self/status >>$dir/masks")
io.popen("cat /proc/self/status >>$dir/masks"):close()
core.register_cli({ "masks" }, "masks", function(applet)
	applet:send(io.popen("cat /proc/self/status"):read("a"))
end)
core.register_cli({ "signalled" }, "signalled", function(applet)
	os.execute("kill -HUP \$PPID")
	applet:send("still here")
end)
END
cat >"$dir/check" <<END
#!/bin/sh
/bin/cat /proc/self/status >$dir/checked.new
/bin/mv $dir/checked.new $dir/checked
END
chmod +x "$dir/check"
mkfifo "$dir/here" "$dir/go"
with_check=	# not every user may start them
[ "$(id -u)" -ne 0 ] || with_check="option external-check
	external-check command $dir/check"
{
	printf '\tlua-load %s/early.lua\n\tinsecure-fork-wanted\n' "$dir"
	[ -z "$with_check" ] || printf '\texternal-check\n'
	tcp_proxy "" "${with_check:+check inter 100ms}" "$with_check"
} | config

# begin OPTIONS: it starts, and waits in the script.
begin() {
	: >"$dir/wait"
	rm -f "$stats"
	timeout 60 "$PENSTOCK" -f "$dir/cfg" "$@" </dev/null >"$log" 2>&1 &
	timed=$!
	timeout 20 cat "$dir/here"
	pid=$(cat "/proc/$timed/task/$timed/children")
	pid=${pid% }
}
send() { for signal in "$@"; do kill -"$signal" "$pid"; done; }
go() { timeout 20 sh -c 'echo >"$1"' sh "$dir/go" || fail "it has ended"; }
serves() { until_true 20 "$tool" -s "$stats" ask "show info"; }
logged() { until_true 20 grep -q "$1" "$log"; }
ends_with() {
	wait "$timed"
	status=$?
	pid=
	check "$1: it ends with $2 ($status)" test "$status" -eq "$2"
}
reloaded() { "$tool" -s "$parent" ask "show proc" 2>/dev/null | grep -q 'master *1 '; }

for mode in -db "-W -S $parent"; do
	for signals in HUP USR2 QUIT "TTOU TTIN" PIPE; do
		begin $mode
		send $signals
		go
		check "$mode, $signals while it starts: it serves" serves
		case "$mode $signals" in
		-db*HUP) check "and tells its states" logged "Server be/s1 is" ;;
		-db*USR2) check "and that this reloads nothing" logged "SIGUSR2 reloads nothing here" ;;
		-W*HUP | -W*USR2) check "and has reloaded" until_true 20 reloaded ;;
		esac
		send TERM
		ends_with "then TERM" 0
	done
	begin $mode
	send USR1
	go
	ends_with "$mode, USR1" 0
	begin $mode
	send TERM
	ends_with "$mode, TERM" 143
done
begin -c
send HUP
ends_with "-c, HUP" 129

rm -f "$dir/masks" "$dir/wait"
start_workers
"$tool" -s "$parent" ask reload >"$dir/said"
check "a reload succeeds" grep -q Success=1 "$dir/said"
[ -z "$with_check" ] || check "a check has run" until_true 20 grep -q SigBlk "$dir/checked"
ask masks >"$dir/now"
check "there are enough of them" test "$(cat "$dir/masks" "$dir/now" | grep -c SigBlk)" -ge 7
# The bit 0x1000 is SIGPIPE. Signals that are ignored at the start stay so: the shell ignores INT.
for file in masks now ${with_check:+checked}; do
	check "$file: none is blocked" test -z "$(grep SigBlk "$dir/$file" | grep -v '0000000000000000$')"
	check "$file: SIGPIPE is not ignored" test -z "$(grep SigIgn "$dir/$file" | grep '[13579bdf]...$')"
done
stop_penstock
start_penstock
check "a signal while a command runs" test "$(ask signalled)" = "still here"
check "is heard behind it" logged "Server be/s1 is"
finish
