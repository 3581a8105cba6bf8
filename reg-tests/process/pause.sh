#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# SIGTTOU stops listening so that another process can take the address; SIGTTIN listens again.
. "${0%/*}/../lib.sh"

tcp_proxy | config
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
finish
