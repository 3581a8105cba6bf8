#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Debian's hatop shows the process and changes it: its screen is read out of a terminal of tmux.
command -v hatop >/dev/null && command -v tmux >/dev/null || {
	echo "hatop or tmux is not installed"
	exit 77
}
. "${0%/*}/../lib.sh"

cat <<END | config
defaults
	mode tcp
	timeout connect 1s
	timeout client 10s
	timeout server 10s
listen web
	bind $front
	maxconn 77
	server one $back weight 50
	server two $back weight 60
END
start_penstock

# A server of tmux of our own, which ends with its only window.
terminal="tmux -f /dev/null -S $dir/tmux"
screen() { $terminal capture-pane -p; }
shows() { screen | grep -qE "$1"; }
press() { $terminal send-keys "$@"; }
leave() { $terminal kill-server 2>/dev/null; cleanup; }
trap leave EXIT
TERM=xterm $terminal new-session -d -x 150 -y 40 "hatop -s '$stats'"

check "the product and its version" until_true 60 shows 'Version: 2\.6\.99-penstock'
check "the number of the process" shows "PID: $pid "
check "pipes and connections" shows 'Pipes: \['
check "the frontend" until_true 60 shows '^FRONTEND +0 OPEN .* 77 +0$'
check "a server" shows '^one +50 - +none +1 '
check "the backend" shows '^BACKEND +110 UP '
press Down
press Down
press F10
check "F10 disables the server" until_true 60 shows '^one +50 MAINT '
press F9
check "F9 enables it" until_true 60 shows '^one +50 - '
press F8
check "F8 raises its weight" until_true 60 shows '^one +60 - '
press Escape 2
check "the page of traffic" until_true 60 shows 'LBTOT +RATE '
press Escape 4
check "the page of errors" until_true 60 shows 'ECONN +EREQ '
press Escape 5
check "the page of commands" until_true 60 shows 'command line'
press "show cli level" Enter
check "a command by hand" until_true 60 shows '^admin'
screen >"$dir/screen"
[ "$failures" -eq 0 ] || cat "$dir/screen"
finish
