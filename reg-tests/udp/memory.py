# SPDX-License-Identifier: BSD-2-Clause
"""The client of memory.sh."""

import os
import socket
import sys
import threading
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
