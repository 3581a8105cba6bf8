#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# SIGTTOU stops listening so that another process can take the address; SIGTTIN listens again, or
# says that it cannot.
. "${0%/*}/../lib.sh"

{
	printf '\tlog ring@lines format raw local0\nring lines\n\tformat raw\n\tsize 10000\n'
	tcp_proxy
} | config
start_penstock
# connects: exit code 0 when somebody listens
cat >"$dir/connects" <<'END'
import socket, sys
host, port = sys.argv[1].rsplit(":", 1)
try:
    socket.create_connection((host, int(port)), timeout=60).close()
except ConnectionRefusedError:
    sys.exit(1)
END
connects() { python3 "$dir/connects" "$front"; }
refuses() { ! connects; }
check "it listens" connects
kill -TTOU "$pid"
check "paused, nobody listens" until_true 60 refuses
kill -TTIN "$pid"
check "it listens again" until_true 60 connects
kill -TTOU "$pid"
check "paused once more" until_true 60 refuses
cat >"$dir/occupies" <<'END'
import socket, sys
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
host, port = sys.argv[1].rsplit(":", 1)
s.bind((host, int(port)))
s.listen()
print("there", flush=True)
sys.stdin.read()
END
mkfifo "$dir/leave"
python3 "$dir/occupies" "$front" <"$dir/leave" >"$dir/occupied" &
occupier=$!
exec 3>"$dir/leave"
is_there() { grep -q there "$dir/occupied"; }
check "another process listens there" until_true 60 is_there
kill -TTIN "$pid"
says_why() { ask "show events lines" | grep -q "Failed to resume frontend fe (Address already in use)"; }
check "the log says that it cannot listen again" until_true 60 says_why
exec 3>&-
wait "$occupier"
kill -TTIN "$pid"
check "the other one has gone: it listens again" until_true 60 connects
finish
