#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# penstock colocate between network namespaces (containers): ends of one connection are paired over
# a veth pair, connections with the same addresses in other networks are not mixed up, and with
# --loopback-only nothing but the loopback is paired.
# Limit: 180 s
. "${0%/*}/../lib.sh"
. "${0%/*}/lib.sh"
command -v ip >/dev/null || { say "needs ip"; exit 77; }
port=7411
names=
worlds_leave() {
	for name in $names; do
		ip netns del "$name" 2>/dev/null
	done
	leave
}
trap worlds_leave EXIT

# world NAME: two namespaces, NAME-a and NAME-b, 10.79.0.1 and 10.79.0.2.
world() {
	for end in a b; do
		ip netns add "$1-$end" 2>/dev/null || { say "no network namespaces"; exit 77; }
		names="$names $1-$end"
		ip -n "$1-$end" link set lo up
	done
	ip -n "$1-a" link add veth0 type veth peer name veth0 netns "$1-b" 2>/dev/null ||
		{ say "may not make interfaces"; exit 77; }
	ip -n "$1-a" addr add 10.79.0.1/24 dev veth0 && ip -n "$1-a" link set veth0 up
	ip -n "$1-b" addr add 10.79.0.2/24 dev veth0 && ip -n "$1-b" link set veth0 up
}
# begin FILE NAMESPACE COMMAND...: what it says goes to $dir/FILE; it reads $input.
input=/dev/null begun=
begin() {
	said=$dir/$1 inside=$2
	shift 2
	grouped ip netns exec "$inside" timeout 120 "$@" <"$input" >"$said" 2>&1 &
	children="$children $!"
	begun="$begun $!:$said"
}
# says WORD FILE: it has.
says() {
	until_true 60 grep -q "$1" "$dir/$2" || fail "not '$1', but: $(cat "$dir/$2")"
}
# traffic NAME SEED: streams from NAME-a to NAME-b; its output goes to $dir/NAME.
traffic() {
	begin "$1.server" "$1-b" "$streams" -l "10.79.0.2:$port" -s "$2" -b 1000000
	says ready "$1.server"
	begin "$1" "$1-a" "$streams" -d "10.79.0.2:$port" -s "$2" -b 1000000
}
# All that was begun ends by itself; with what it has said last where bytes are not right.
await() {
	for child in $begun; do
		wait "${child%%:*}"
		case $? in
		0) pass "bytes are right" ;;
		124) fail "bytes are late: not all have come within 120 s" ;;
		*) fail "bytes are not right: $(tail -n 1 "${child#*:}")" ;;
		esac
	done
	children='' begun=''
}
one=penstock-1-$$ two=penstock-2-$$
world "$one"
world "$two"
enable "$port"
traffic "$one" 1
traffic "$two" 2
await
cat "$dir/$one" "$dir/$two"
check "data were queued over veth" test "$(value queued-messages)" -gt 100
colocate disable

# The same addresses and ports at the same time: the ends of the second one find their key taken.
enable "$port"
fixed() {
	input=$dir/$1$2
	mkfifo "$input"
	begin "$1$2.out" "$1-$3" python3 "${0%.sh}.py" "$2" "$port" "$4"
	input=/dev/null
}
fixed "$one" server b 1; exec 3>"$dir/${one}server"
fixed "$two" server b 2; exec 4>"$dir/${two}server"
says ready "${one}server.out"
says ready "${two}server.out"
fixed "$one" client a 1; exec 5>"$dir/${one}client"
says connected "${one}server.out"
says connected "${one}client.out"
fixed "$two" client a 2; exec 6>"$dir/${two}client"
says connected "${two}server.out"
says connected "${two}client.out"
check "one of the two connections is paired" test "$(value ends-paired)" = 2
for fd in 3 4 5 6; do echo >&$fd; done
await
exec 3>&- 4>&- 5>&- 6>&-
colocate disable

enable "$port" --loopback-only
traffic "$one" 3
await
check "nothing is queued over veth with --loopback-only" test "$(value queued-messages)" = 0
finish
