#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tune.colocated: data that pass through Penstock are queued on both sides, exactly; without it
# Penstock is left to TCP. option kernel-relay gives way. Redis behind it, where it is installed.
. "${0%/*}/../lib.sh"
. "${0%/*}/lib.sh"
port=${front##*:}
# lib.sh starts it by these words: in the group.
cat >"$dir/in" <<END
#!/bin/sh
echo 0 >"$group/cgroup.procs"
exec "\$@"
END
run_as="sh $dir/in"
enable "$port,${back##*:}" --ring-kbytes 32

through() {
	grouped timeout 300 "$streams" -l "$back" -b 1000000 "$@" >"$dir/server" 2>&1 &
	children=$!
	until_true 20 grep -q ready "$dir/server"
	check "streams $* through Penstock" grouped timeout 300 "$streams" -d "$front" -b 1000000 "$@"
	wait "$children"
	check "and at the server" test "$?" -eq 0
	children=
}
tcp_proxy "$splice" | config
start_penstock
through -s 1
stop_penstock
check "Penstock is left to TCP" test "$(value queued-messages)" -lt "$(value tcp-messages)"
before=$(value reader-unfit)
check "it is counted" test "$before" -gt 0

tcp_proxy "$splice
	option kernel-relay" | sed 's/^defaults/global\n\ttune.colocated on\ndefaults/' | config
start_penstock
check "the kernel relay gives way" grep -q "does not go with tune.colocated" "$log"
before=$(value queued-bytes)
through -s 2
through -s 3 -m 300 -p 20
exactly KernelRelays 0
check "data were queued" test $(($(value queued-bytes) - before)) -gt 1000000
check "and receivers were behind" test "$(value receiver-behind)" -gt 0
if command -v redis-server >/dev/null && command -v redis-benchmark >/dev/null; then
	grouped redis-server --port "${back##*:}" --save "" --dir "$dir" >/dev/null &
	children=$!
	until_true 20 redis-cli -p "${back##*:}" ping
	before=$(value queued-messages)
	check "Redis answers through it" grouped timeout 60 redis-benchmark -p "$port" -t set,get -c 5 \
		-n 5000 -d 900 -r 100 -q
	check "without TCP" test $(($(value queued-messages) - before)) -gt 15000
	redis-cli -p "${back##*:}" shutdown nosave
	wait "$children"
	children=
fi
finish
