# SPDX-License-Identifier: BSD-2-Clause
"""The authority takes its time, stands still at each step, and is left alone by a reload; see
slow.sh."""
import argparse
import os
import signal
import stat
import threading

from acme_world import Pebble, World
from service import check, until

# What the authority logs when a step begins.
STEPS = ("POST /order-plz", "POST /authZ/", "POST /chalZ/", "POST /finalize-order/", "POST /certZ/")


class Traffic:
    """Clients that make one connection with TLS behind another, as long as the test goes on."""

    def __init__(self, world):
        self.world, self.done, self.failed, self.served = world, threading.Event(), [], 0
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while not self.done.wait(0.02):
            try:
                self.world.served()
                self.served += 1
            except OSError as e:
                self.failed.append(str(e))

    def end(self):
        self.done.set()
        self.thread.join()
        check("meanwhile clients were served" + (f", not {self.failed[:3]}" if self.failed else ""),
              self.served > 0 and not self.failed)


def main():
    p = argparse.ArgumentParser()
    for name in "penstock", "dir":
        p.add_argument("--" + name)
    args = p.parse_args()
    w = World(args.dir, args.penstock)
    pebble = Pebble(args.dir, w.http, w.tls, PEBBLE_WFE_NONCEREJECT="66", PEBBLE_AUTHZREUSE="0",
                    PEBBLE_VA_NOSLEEP="0", PEBBLE_VA_SLEEPTIME="2", words={"retryAfter": {"authz": 1, "order": 1}})
    w.configure(pebble.url)
    w.start("-W")
    traffic = Traffic(w)
    until("an order is under way", lambda: w.status()["state"] == "Running")
    until("a slow authority that refuses nonces signs all the same", w.ordered)
    check("at the first try", w.status()["failures"] == "0")

    # It stands still at each step for a while.
    for step in STEPS:
        before, known = w.served(), pebble.said(step)
        until(f"{step}: an order begins", lambda: "begins" in w.ask("acme renew @web/site"))
        until(f"{step}: it is reached", lambda: pebble.said(step) > known)
        pebble.process.send_signal(signal.SIGSTOP)
        check(f"{step}: workers answer while the authority stands still", len(w.issuers()) == 1)
        pebble.process.send_signal(signal.SIGCONT)
        until(f"{step}: the certificate comes", lambda: w.served() != before)
        until(f"{step}: and the order is over", lambda: w.status()["state"] == "Scheduled")

    check("nonces were refused", pebble.said("POST /order-plz") > pebble.said("Added order"))

    # A reload in the middle: the order is not asked for again at once; what served serves on.
    before, known, issued = w.served(), pebble.said(STEPS[2]), pebble.said("Issued certificate serial")
    until("an order begins", lambda: "begins" in w.ask("acme renew @web/site"))
    until("it is reached", lambda: pebble.said(STEPS[2]) > known)
    old = set(w.children())
    w.process.send_signal(signal.SIGUSR2)
    until("a reload in the middle", lambda: w.children() and not old & set(w.children()))
    check("the certificate is that of before, or the new one if that came first",
          w.served() == before or pebble.said("Issued certificate serial") > issued)
    until("the new workers know when the next try is", lambda: w.status()["state"] == "Scheduled")
    before = w.served()
    until("who does not want to wait asks for it", lambda: "begins" in w.ask("acme renew @web/site"))
    until("and it comes", lambda: w.served() != before)
    until("and its order is over", lambda: w.status()["state"] == "Scheduled")
    check("without a failure to be told", w.status()["failures"] == "0")
    traffic.end()
    w.end()

    # Somebody who is not root: all files belong to that user.
    if os.getuid() == 0:
        own = os.path.join(args.dir, "own")
        os.mkdir(own)
        os.chown(own, 65534, 65534)
        os.chmod(args.dir, 0o755)
        w.stats, w.pem = own + "/stats.sock", own + "/site.pem"
        account = os.path.join(args.dir, "account.key")
        os.chown(account, 65534, 65534)
        for name in os.listdir(args.dir):
            if name.startswith("account.key"):
                os.chown(os.path.join(args.dir, name), 65534, 65534)
        w.configure(pebble.url)
        w.start(user=65534, group=65534, extra_groups=[])
        until("a certificate for somebody who is not root", w.ordered)
        mode = os.stat(w.pem)
        check("whose file it is", mode.st_uid == 65534 and stat.S_IMODE(mode.st_mode) == 0o600)
        w.finish(pebble)


main()
