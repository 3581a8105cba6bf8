#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Rules that make texts and use regular expressions for the first time while there is no memory:
# what they need was taken at the start, so the process goes on, and the rules work. (With a
# sanitizer, whose malloc cannot be replaced, this is only about the rules.)
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
shim_while=$dir/now
SHIM=memory=ENOMEM
{
	printf 'defaults\n\tmode http\n\ttimeout connect 30s\n\ttimeout client 30s\n\ttimeout server 30s\n'
	printf 'listen l\n\tbind %s\n' "$front"
	printf '\thttp-request return status 200 if { path /warm }\n'
	printf '\thttp-request return status 201 if { path,hex,lower -m str 2f61 }\n'
	printf '\thttp-request return status 202 if { path_reg ^/[b-c]$ }\n'
	printf '\thttp-request return status 404\n'
} | config
start_penstock
timeout 100 python3 - "$front" "$shim_while" <<'END' || fail "rules do not work without memory"
import os, socket, sys

host, port = sys.argv[1].rsplit(":", 1)
failed = 0
# One connection, so that nothing but the rules needs memory.
with socket.create_connection((host, int(port)), timeout=60) as conn:
    for path, status in (("/warm", 200), ("/a", 201), ("/c", 202), ("/d", 404)):
        conn.sendall(b"GET %s HTTP/1.1\r\nHost: x\r\n\r\n" % path.encode())
        answer = b""
        while b"\r\n\r\n" not in answer:
            more = conn.recv(4096)
            if not more:
                break
            answer += more
        good = answer.startswith(b"HTTP/1.1 %d " % status)
        failed += not good
        print("%s %s is answered with %s" % ("ok     " if good else "FAILED ", path, answer[:12]))
        open(sys.argv[2], "w").close()      # from the second one on
os.unlink(sys.argv[2])
sys.exit(failed)
END
finish
