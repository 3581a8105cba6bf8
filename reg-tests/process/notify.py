# SPDX-License-Identifier: BSD-2-Clause
"""What notify.sh describes."""

import os
import signal
import socket
import struct
import subprocess
import sys
import time

from service import PATIENCE, ask, check, finish

program, folder = sys.argv[1:]
socket_path, cfg, parent = (os.path.join(folder, n) for n in ("notify", "cfg", "parent.sock"))
manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.bind(socket_path)
manager.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
manager.settimeout(PATIENCE)
senders, alive = set(), 0


def hear():
    """The next message but WATCHDOG, as a dictionary."""
    global alive
    while True:
        text, extra, _, _ = manager.recvmsg(4096, socket.CMSG_SPACE(12))
        senders.add(struct.unpack("iII", extra[0][2])[0])
        if text.decode() != "WATCHDOG=1\n":
            return dict(line.split("=", 1) for line in text.decode().splitlines())
        alive += 1


def now_usec():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000


def run():
    # WATCHDOG_PID is for the one process that is meant.
    script = 'WATCHDOG_PID=$$ exec "$@"'
    env = dict(os.environ, NOTIFY_SOCKET=socket_path, WATCHDOG_USEC="2000000")
    return subprocess.Popen(["sh", "-c", script, "sh", program, "-Ws", "-f", cfg, "-S", parent],
                            env=env, stdout=open(os.path.join(folder, "log"), "a"),
                            stderr=subprocess.STDOUT)


def workers():
    now = ask(parent, "show proc").split("# workers\n")[1].split("#")[0]
    return {int(line.split()[0]) for line in now.splitlines() if line.strip()}


def watchdog(sentence):
    """At least two more of them."""
    global alive
    before, end = alive, time.monotonic() + PATIENCE
    manager.setblocking(False)
    while alive < before + 2 and time.monotonic() < end:
        try:
            check("nothing else is said: %s" % hear(), False)
        except BlockingIOError:
            time.sleep(0.05)
    manager.settimeout(PATIENCE)
    check(sentence, alive >= before + 2)


def reload_told(asked):
    said = hear()
    check("RELOADING, at a time of the monotonic clock",
          said.get("RELOADING") == "1" and asked <= int(said["MONOTONIC_USEC"]) <= now_usec())


service = run()
said = hear()
check("READY at the start", said.get("READY") == "1" and said["STATUS"].startswith("Ready"))
first = workers()
check("when all workers serve", len(first) == 2)
watchdog("WATCHDOG, again and again")

asked = now_usec()
os.kill(service.pid, signal.SIGUSR2)
reload_told(asked)
said = hear()
check("READY when the new workers serve", said.get("READY") == "1")
second = workers()
check("which they do", len(second) == 2 and not second & first)
watchdog("WATCHDOG by the new image, too")

good = open(cfg).read()
with open(cfg, "a") as f:
    f.write("nonsense\n")
asked = now_usec()
os.kill(service.pid, signal.SIGUSR2)
reload_told(asked)
said = hear()
check("STATUS of a bad file: %s" % said, said.get("READY") == "1" and
      "Reload failed" in said.get("STATUS", ""))
check("the same workers serve", workers() == second)

taken = socket.create_server(("127.0.0.1", 0))
with open(cfg, "w") as f:
    f.write(good.replace("\tdefault_backend", "\tbind 127.0.0.1:%d\n\tdefault_backend" % taken.getsockname()[1]))
asked = now_usec()
os.kill(service.pid, signal.SIGUSR2)
reload_told(asked)
said = hear()
check("the same of a file that cannot be served", said.get("READY") == "1" and
      "Reload failed" in said.get("STATUS", ""))
check("the same workers serve on", workers() == second)
watchdog("WATCHDOG, behind all that")

with open(cfg, "w") as f:
    f.write(good)
asked = now_usec()
os.kill(service.pid, signal.SIGUSR2)
reload_told(asked)
said = hear()
check("READY after the file was mended", said.get("READY") == "1" and said["STATUS"].startswith("Ready"))

os.kill(service.pid, signal.SIGTERM)
said = hear()
check("STOPPING", said.get("STOPPING") == "1" and said.get("STATUS"))
check("it ends with 0", service.wait(PATIENCE) in (0, 143))
check("all was said by the process that was started", senders == {service.pid})

senders.clear()
service = run()
check("once more", hear().get("READY") == "1")
os.kill(service.pid, signal.SIGUSR1)
check("STOPPING at a soft stop", hear().get("STOPPING") == "1")
check("it ends", service.wait(PATIENCE) == 0)
finish()
