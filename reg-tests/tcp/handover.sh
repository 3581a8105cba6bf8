#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# New processes take over from old ones while clients keep connecting: with the sockets of the
# old one (-x), when not one connection is refused or reset; and beside it (SO_REUSEPORT), after it
# has let go of an abstract socket. In the latter case the kernel drops handshakes that were half
# done when the old socket closed, so that nothing is claimed of the connections of that moment.
. "${0%/*}/../lib.sh"

# configure WORDS-OF-THE-STATS-SOCKET LINES
configure() {
	{
		printf 'global\n\tstats socket %s level admin %s\n' "$stats" "$1"
		tcp_proxy
		printf '%s\n' "$2"
	} >"$dir/cfg"
}

# Clients connect and exchange bytes until the file appears or one of them fails.
clients() {
	while [ ! -e "$dir/enough" ]; do
		"$tool" -f "$front" -b "$back" -n 4 -z 20000 transfer >"$dir/clients.log" 2>&1 || {
			cp "$dir/clients.log" "$dir/broken"
			return
		}
	done
}

# take_over N [ARGUMENTS]: N times a new process takes the place of the one before.
take_over() {
	times=$1
	shift
	rm -f "$dir/enough" "$dir/broken"
	start_penstock
	clients &
	clients_pid=$!
	while [ "$times" -gt 0 ]; do
		old=$pid
		"$PENSTOCK" -db -f "$dir/cfg" "$@" -sf "$old" </dev/null >"$log" 2>&1 &
		pid=$!
		wait "$old" || fail "the old process ended with $?"
		check "the new process answers" until_true 60 "$tool" -s "$stats" ask "show info"
		times=$((times - 1))
	done
	: >"$dir/enough"
	wait "$clients_pid"
}

none_broken() {
	check "no connection was refused or broken" test ! -e "$dir/broken"
	[ ! -e "$dir/broken" ] || tail -n 5 "$dir/broken"
}

say "## the old process hands its sockets over"
configure "expose-fd listeners" "listen abstract
	timeout client 1s
	timeout server 1s
	timeout connect 1s
	bind abns@penstock-handover-$$
	server s1 $back"
take_over 5 -x "$stats"
none_broken
check "nothing was opened anew" sh -c "! grep -q 'cannot get' '$log'"
stop_penstock

say "## both listen for a moment; the abstract socket is let go"
take_over 5
check "the last one serves" "$tool" -f "$front" -b "$back" -n 4 -z 20000 transfer
stop_penstock

say "## an old process that does not hand over: said, and opened beside it"
configure "" ""
take_over 1 -x "$stats"
check "it says why" grep -q "it needs 'expose-fd listeners'" "$log"
finish
