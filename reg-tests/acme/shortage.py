# SPDX-License-Identifier: BSD-2-Clause
"""What an order needs fails: an allocation, a descriptor, the disk. The certificate of before
serves on, the log says what is wrong, and the next order succeeds; see shortage.sh."""
import argparse
import os
import resource

from acme_world import Pebble, World
from countdown import Countdown
from service import check, until

NEVER = 1 << 40
END = "has a new certificate|tried again in"  # of an order, in the log


def main():
    p = argparse.ArgumentParser()
    for name in "penstock", "dir", "nth":
        p.add_argument("--" + name)
    for name in "small", "each":
        p.add_argument("--" + name, action="store_true")
    args = p.parse_args()
    countdown = Countdown(args.nth)
    countdown.set(NEVER)
    w = World(args.dir, args.penstock)
    if args.small:
        w.pem = os.path.join(args.dir, "small/site.pem")
    pebble = Pebble(args.dir, w.http, w.tls)
    w.configure(pebble.url)
    w.start(f"-dMfail:{args.nth}")
    until("there is a first certificate", w.ordered)

    def over():
        return w.status()["state"] == "Scheduled"

    def renewed(what):
        before = w.served()
        until(f"{what}: an order begins", lambda: "begins" in w.ask("acme renew @web/site"))
        until(f"{what}: its certificate comes", lambda: w.served() != before)
        until(f"{what}: the order is over", over)

    # The n-th allocation fails, in whichever process makes it.
    # The log says when an order is over: who asks the program takes memory of it, too.
    ends = w.logged(END)
    countdown.set(NEVER)
    until("all memory is there: an order begins", lambda: "begins" in w.ask("acme renew @web/site"))
    until("all memory is there: the order ends", lambda: w.logged(END) > ends)
    total = NEVER - countdown.left()
    until("all memory is there: no order is under way", over)
    check(f"an order takes memory {total} times at most", 20 < total < 100000)
    wrong, failed, tried = [], 0, set()

    def points():
        """Six of the allocations. Some are those of workers that serve: as long as no order has
        failed, those in between."""
        coarse = step = 1 if args.each else max(total // 6, 1)
        while step == coarse or not failed:
            for n in range(1, total + 1, step):
                if n not in tried and (step == coarse or not failed):
                    yield n
            if step == 1:
                return
            step = (step + 1) // 2

    for n in points():
        tried.add(n)
        failures, ends = w.logged("tried again in"), w.logged(END)
        countdown.set(n)
        try:
            begins = "begins" in w.ask("acme renew @web/site")
        except OSError:
            begins = False  # the command's own connection was without memory
        if begins and not until(f"allocation {n} fails: the order ends", lambda: w.logged(END) > ends):
            wrong.append(n)
        countdown.set(NEVER)
        until(f"allocation {n} fails: no order is under way", over)
        if w.logged("tried again in") > failures:
            failed += 1
        if not until(f"allocation {n} fails: all workers serve one certificate of the authority",
                     lambda: len({w.served() for _ in range(8)}) == 1 and w.ordered()):
            wrong.append(n)
    check(f"{failed} orders failed, and all workers serve one certificate after each" +
          (f", but not with {wrong}" if wrong else ""), not wrong)
    check("some did", failed > 0)
    renewed("memory is back")

    # No descriptor is left in the worker that asks.
    before, failures = w.served(), w.logged("tried again in")
    limits = {pid: resource.prlimit(pid, resource.RLIMIT_NOFILE) for pid in w.children()}
    until("an order begins", lambda: "begins" in w.ask("acme renew @web/site"))
    for pid, (_, hard) in limits.items():
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, hard))
    until("without descriptors: the log says so", lambda: w.logged("tried again in") > failures or
          w.logged("has a new certificate") > 0)
    for pid, was in limits.items():
        resource.prlimit(pid, resource.RLIMIT_NOFILE, was)
    until("and the order is over", over)
    renewed("descriptors are back")

    if args.small:
        with open(os.path.join(args.dir, "small/filler"), "wb", buffering=0) as f:
            try:
                while True:
                    f.write(bytes(1024))
            except OSError:
                pass
        saved = open(w.pem, encoding="utf-8").read()
        renewed("the disk is full")
        until("the log says that it is not on the disk",
              lambda: w.logged("is in force, but not on the disk.*No space left on device"))
        check("the file is whole, of before", open(w.pem, encoding="utf-8").read() == saved)
        check("no piece is left beside it", sorted(os.listdir(args.dir + "/small")) == ["filler", "site.pem"])
        os.unlink(os.path.join(args.dir, "small/filler"))
        renewed("there is room again")
        until("and it is written", lambda: open(w.pem, encoding="utf-8").read() != saved)
    w.finish(pebble)


main()
