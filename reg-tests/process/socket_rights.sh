#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Who may do what on the stats socket, tried by a user without rights: the mode and owner of the
# file decide who may connect, its level what may be done; neither can be got around.
. "${0%/*}/../lib.sh"

[ "$(id -u)" -eq 0 ] || exit 77
nogroup=$(id -g nobody)

# Whoever serves as nobody must not be mistaken for the one who asks.
{
	printf '\tuser daemon\n\tgroup daemon\n'
	printf '\tstats socket %s/closed mode 600 level admin\n' "$dir"
	printf '\tstats socket %s/group mode 660 group nogroup level operator\n' "$dir"
	printf '\tstats socket %s/owner mode 600 user nobody level user\n' "$dir"
	printf '\tstats socket %s/number mode 060 gid %s level user\n' "$dir" "$nogroup"
	printf '\tstats socket %s/open mode 666 level user\n' "$dir"
	printf '\tstats socket %s/operator mode 666 level operator\n' "$dir"
	printf '\tstats socket %s/admin mode 666 level admin\n' "$dir"
	tcp_proxy
} | config
start_penstock
chmod 711 "$dir"

cat >"$dir/ask.py" <<'END'
import os, pwd, socket, sys
os.setgroups([])
os.setgid(int(sys.argv[3]))
os.setuid(pwd.getpwnam("nobody").pw_uid)
s = socket.socket(socket.AF_UNIX)
try:
    s.connect(sys.argv[1])
except OSError as error:
    sys.exit(error.strerror)
s.sendall(sys.argv[2].encode() + b"\n")
while piece := s.recv(65536):
    sys.stdout.write(piece.decode())
END

# as GROUP SOCKET COMMAND: what nobody is told.
as() { python3 "$dir/ask.py" "$dir/$2" "$3" "$1" 2>&1; }
nobody() { as "$nogroup" "$@"; }
stranger() { as 54321 "$@"; }
says() { test "$("$1" "$2" "$3" | head -n 1)" = "$4"; }
begins() { "$1" "$2" "$3" | head -n 1 | grep -q "$4"; }

check "mode 600 of another user: no connection" says nobody closed "show info" "Permission denied"
check "mode 660: the group may" says nobody group "show cli level" operator
check "mode 660: others may not" says stranger group "show cli level" "Permission denied"
check "mode 600: the owner may" says stranger owner "show cli level" user
check "group by number: it may" says nobody number "show cli level" user
check "group by number: others may not" says stranger number "show cli level" "Permission denied"
check "owner of the file" test "$(stat -c '%U %a' "$dir/owner")" = "nobody 600"
check "group of the file" test "$(stat -c '%g %a' "$dir/number")" = "$nogroup 60"

check "level user: statistics" begins nobody open "show stat" "^# pxname"
# What changes something, or tells of clients and addresses.
for command in "disable server be/s1" "set server be/s1 state maint" "set weight be/s1 0" \
	"set maxconn global 1" "shutdown frontend fe" "shutdown sessions server be/s1" "clear counters all" \
	"set rate-limit connections global 1" "show sess" "show env" "show errors"; do
	check "level user: not $command" begins nobody open "$command" "^Permission denied"
done
check "level user: no way up" begins nobody open "operator;show sess" "^Permission denied"
check "nor in one line with others" begins nobody open "show cli level;disable server be/s1" "^user"
check "which did nothing" begins nobody open "show servers state be" "^1$"
for command in "disable server be/s1" "set weight be/s1 0" "shutdown frontend fe"; do
	check "level operator: not $command" begins nobody operator "$command" "^Permission denied"
done
check "level admin may" says nobody admin "disable server be/s1" ""
maintained() { nobody open "show stat" | grep -q '^be,s1,.*,MAINT,'; }
check "and it was done" maintained
denied() { nobody "$1" "$2" | grep -q "^Permission denied"; }
check "the level falls for good" denied admin "user;enable server be/s1"
check "it is as it was" maintained
# Listening sockets go only to who asks where "expose-fd listeners" stands.
check "no listeners for level user" begins nobody open "_getsocks 0" "does not hand over listeners"
check "nor for admin" begins nobody admin "_getsocks 0" "does not hand over listeners"
finish
