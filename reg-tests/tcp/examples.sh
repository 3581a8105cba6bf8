# SPDX-License-Identifier: BSD-2-Clause
# Each file of examples/ serves as it is: in a network of its own, where its addresses are local,
# an origin stands behind each server and answers with the server's name; each listening address
# must lead to servers of that file, and to the expected ones where the file promises that.
if [ "${1-}" != inside ]; then
	unshare -n true 2>/dev/null || { echo "needs the right to create a network namespace"; exit 77; }
	exec unshare -n sh "$0" inside
fi
demo=$topbuild/contrib/quickstart/demo
work=$(mktemp -d "${TMPDIR:-/tmp}/penstock.XXXXXX") || exit 1
socket=$work/stats.sock
export QUICKSTART_SOCKET="$work/quickstart.sock"
printf 'global\n\tstats socket "%s" level admin\n' "$socket" >"$work/stats.cfg"
children=
failures=0

stop_all() {
	for child in $children; do
		kill "$child" 2>/dev/null
	done
	wait
	children=
}
trap 'stop_all; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

ip link set lo up
ip route add local 10.0.0.0/8 dev lo
ip route add local 192.0.2.0/24 dev lo

fail() { echo "FAILED  $*"; failures=$((failures + 1)); }

start() {
	"$PENSTOCK" -db -f "$1" -f "$work/stats.cfg" >"$work/log" 2>&1 &
	children="$children $!"
	tries=0
	until "$demo" cli "$socket" "show info" >"$work/info" 2>/dev/null && [ -s "$work/info" ]; do
		tries=$((tries + 1))
		[ $tries -lt 3000 ] || { cat "$work/log"; fail "$1 does not start"; return 1; }
		sleep 0.02
	done
}

# servers: prints "NAME ADDRESS" for each.
servers() {
	"$demo" cli "$socket" "show stat" | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		NF > 1 && $2 != "FRONTEND" && $2 != "BACKEND" { print $2, $column["addr"] }' | sort -u
}

# expected EXAMPLE ADDRESS: what four connections must be answered with; nothing: any server.
expected() {
	case $1/$2 in
	access/*) echo new1 3 new2 1 ;;
	database/*:5432) echo db1 4 ;;
	many-services/*:5672) echo queue1 4 ;;
	quickstart/*) echo alpha 2 beta 2 ;;
	esac
}

# A check that comes before its origin listens would take the server out.
wait_for_origins() {
	tries=0
	until [ "$(ss -Hltn | wc -l)" -ge "$(wc -l <"$work/servers")" ]; do
		tries=$((tries + 1))
		[ $tries -lt 3000 ] || { fail "$example: the origins do not listen"; return; }
		sleep 0.02
	done
}

judge() {
	example=$1 at=$2
	answers=$("$demo" ask "$at" 4 2>&1) || { fail "$example at $at: $answers"; return; }
	answers=$(echo $answers)
	wanted=$(expected "$example" "$at")
	[ -z "$wanted" ] || [ "$answers" = "$wanted" ] ||
		{ fail "$example at $at: $answers instead of $wanted"; return; }
	for name in $(echo "$answers" | tr ' ' '\n' | grep '^[a-z]'); do
		grep -q "^$name " "$work/servers" || { fail "$example at $at: who is $name?"; return; }
	done
	echo "ok      $example at $at: $answers"
}

for file in "${srcdir:-.}"/examples/*.cfg; do
	example=$(basename "$file" .cfg)
	case $example in acme | http-* | tls-* | grpc | limits-* | names | pair | servers-follow) continue ;; esac # judged elsewhere
	start "$file" || continue
	servers >"$work/servers"
	ss -Hltn | awk '{ print $4 }' >"$work/listening"
	[ -s "$work/servers" ] && [ -s "$work/listening" ] || fail "$example: no servers, or no frontend"
	stop_all
	while read -r name at; do
		"$demo" serve "$at" "$name" &
		children="$children $!"
	done <"$work/servers"
	wait_for_origins
	start "$file" || continue
	while read -r at; do
		judge "$example" "$at"
	done <"$work/listening"
	stop_all
done
[ "$failures" -eq 0 ]
