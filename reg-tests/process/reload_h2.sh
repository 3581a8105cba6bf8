#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Reload under clients of HTTP/2, with servers of HTTP/1 and of HTTP/2: connections are told that
# they are to go, streams that were on their way are answered whole, the old workers leave. usage:
# reload_h2.sh [ROUNDS]
. "${0%/*}/../lib.sh"

master=$dir/master.sock
parent_ask() { "$tool" -s "$master" ask "$1"; }
old_gone() { ! parent_ask "show proc" | grep -q "^# old"; }
cat >"$dir/reload" <<END
"$tool" -s "$master" ask reload | grep -qx Success=1
END
rounds=${1:-8}

# A server of HTTP/2, which is not reloaded: it asks that of HTTP/1.
inner=127.0.0.1:$(ports 1) inner_pid=
{
	http_defaults
	printf 'frontend fe\n\tbind %s proto h2\n\tdefault_backend be\nbackend be\n\tserver s %s\n' "$inner" "$back"
} >"$dir/inner.cfg"
start_inner() {
	"$PENSTOCK" -db -f "$dir/inner.cfg" </dev/null >"$dir/inner.log" 2>&1 &
	inner_pid=$!
}
stop_inner() {
	kill -TERM "$inner_pid"
	wait "$inner_pid"
	check "the server of HTTP/2 ends well" test $? -eq 0
}

# reloads SERVERS: lines of the proxy
reloads() {
	say "## $1"
	{
		printf '\tnbproc 2\n'
		if [ "$1" = h2 ]; then
			http_proxy "" | sed "s/server .*$back.*/server s $inner proto h2/"
		else
			http_proxy "option splice-response"
		fi
	} | config
	start_penstock -W -S "$master,level,admin"
	python3 "$srcdir/reg-tests/process/reload_h2.py" "${front%:*}" "${front#*:}" "${back#*:}" \
		"sh $dir/reload" "$rounds"
	check "$rounds reloads lost nothing" test $? -eq 0
	check "the old workers leave" until_true 120 old_gone
	stop_penstock
}

reloads h1
start_inner
reloads h2
stop_inner
finish
