#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Global words of later versions about QUIC, processors and descriptors: those with a meaning have
# it, of the others a notice says what holds.
. "${0%/*}/../lib.sh"

check_file() {
	{ printf 'global\n%b\n' "$1"; http_defaults; printf 'frontend f\n\tbind 127.0.0.1:1\n'; } >"$dir/c.cfg"
	"$PENSTOCK" -c -f "$dir/c.cfg" >"$dir/said" 2>&1
}
silent() {
	check "silent: $1" check_file "$1"
	! grep -qE 'notice|warning' "$dir/said" || { cat "$dir/said"; fail "silent: $1"; }
}
says() {
	check "taken: $1" check_file "$1"
	check "it says: $2" grep -q "$2" "$dir/said"
}
refused() {
	check "refused: $1" sh -c "! \"$PENSTOCK\" -c -f /dev/stdin" <<END
global
 $1
END
}

for word in no-quic limited-quic 'harden.reject-privileged-ports.quic on'; do
	says " $word" "notice: '${word%% *}': there is no QUIC here"
done
silent ' tune.listener.default-shards by-group'
silent ' tune.listener.default-shards by-process'
says ' tune.listener.default-shards by-thread' 'all workers accept from one'
silent ' cpu-policy none'
says ' cpu-policy group-by-cluster threads-per-core 1' "'nbproc auto' gives each processor one"
silent ' thread-hard-limit 4\n nbthread 1'
says ' thread-hard-limit 2\n nbthread 4' 'warning: nbthread 4 is above thread-hard-limit: 2 is used'
silent ' prealloc-fd\n tune.disable-zero-copy-forwarding\n harden.reject-privileged-ports.tcp off'
refused 'harden.reject-privileged-ports.tcp perhaps'
refused 'harden.reject-privileged-ports.quic 1'
refused 'tune.listener.default-shards by-wish'
refused 'cpu-policy fastest'
refused 'cpu-policy none threads-per-core 2'
refused 'thread-hard-limit 0'
refused 'no-quic yes'
refused 'limited-quic yes'

# A client from a port that only root may take is closed without a byte; others are served. The
# table of descriptors has its size from the start.
[ "$(id -u)" -eq 0 ] || finish
{
	printf '\tharden.reject-privileged-ports.tcp on\n\tprealloc-fd\n\tulimit-n 3000\n'
	http_defaults
	printf 'frontend fe\n\tbind %s\n\thttp-request return status 200\n' "$front"
} | config
start_penstock
python3 "${0%.sh}.py" "$front"
check "clients from ports below 1024 are closed at once" test $? -eq 0
check "they are counted as denied" \
	sh -c "'$tool' -s '$stats' ask 'show stat fe 1 -1' | grep -q ',' &&
	'$tool' -s '$stats' ask 'show stat typed' | grep -q 'F.*dcon.*:u64:1$'"
check "the table of descriptors is as large as it may get" \
	test "$(sed -n 's/^FDSize:[[:space:]]*//p' "/proc/$pid/status")" -ge 3000
finish
