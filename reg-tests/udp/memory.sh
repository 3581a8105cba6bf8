#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# No datagram costs memory: while there is none to be had, a thousand of them go there and back on sessions
# that stand, one at a time and many at once, and nobody asks for any.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
sanitized && { say "a sanitizer's memory cannot be refused"; exit 77; }
set -- $(ports 2)
config <<END
udp-lb u
	dgram-bind 127.0.0.1:$1
	timeout client 5m
	timeout server 5m
	server s 127.0.0.1:$2
END
shim_while=$dir/now
SHIM="memory=ENOMEM mmap=ENOMEM"
start_penstock
cat >"$dir/client.py" <<'END'
import os, socket, sys, threading
front, back, now = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("127.0.0.1", back))
def serve():
    while True:
        data, who = server.recvfrom(70000)
        server.sendto(data, who)
threading.Thread(target=serve, daemon=True).start()
clients = []
for _ in range(4):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.connect(("127.0.0.1", front))
    s.settimeout(60)
    clients.append(s)
def there_and_back(s, first, count):
    for i in range(count):
        s.send(b"%d" % (first + i))
    if [s.recv(99) for _ in range(count)] != [b"%d" % (first + i) for i in range(count)]:
        sys.exit("other answers")
for s in clients:
    there_and_back(s, 0, 1)
there_and_back(clients[0], 0, 30)
open(now, "w").close()
done = 0
while done < 1000:
    for s in clients:
        for count in 1, 1, 1, 20:
            there_and_back(s, done, count)
            done += count
os.unlink(now)
END
timeout 200 python3 "$dir/client.py" "$1" "$2" "$shim_while" || fail "datagrams without memory"
check "nobody asks for memory" eval '! test -s "$dir/shim.log"'
# Else the claim would hold whatever the library does.
touch "$shim_while"
timeout 5 "$tool" -s "$stats" ask "show info" >"$dir/said" 2>&1
rm "$shim_while"
acted "memory=ENOMEM"
finish
