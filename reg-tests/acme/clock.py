# SPDX-License-Identifier: BSD-2-Clause
"""The clock of the machine is wrong: the log says so, and nobody is asked again and again; see clock.sh."""
import argparse
import os
import struct
import sys

import service
from acme_world import Pebble, World
from service import check, until

YEAR = 365 * 86400


def main():
    p = argparse.ArgumentParser()
    for name in "penstock", "dir", "preload":
        p.add_argument("--" + name)
    args = p.parse_args()
    ahead = os.path.join(args.dir, "ahead")

    def set_clock(seconds):
        with open(ahead, "r+b") as f:
            f.write(struct.pack("q", seconds))

    with open(ahead, "wb") as f:
        f.write(struct.pack("q", 0))
    w = World(args.dir, args.penstock)
    pebble = Pebble(args.dir, w.http, w.tls)
    w.configure(pebble.url)
    w.start(env={**os.environ, "LD_PRELOAD": args.preload, "SHIM_CLOCK": ahead})
    until("there is a certificate", w.ordered)
    before = w.served()[0]
    check("it is scheduled in years", w.status()["scheduled in"].split("d")[0] > "0")
    # The directory's own certificate, of 30 days, has expired by this clock.
    set_clock(YEAR // 2)
    w.ask("acme renew @web/site")
    until("a clock that is fast makes the authority's own certificate look expired",
          lambda: w.logged("there is no TLS with it: .*expired") > 0)
    check("the certificate of before serves on", w.served()[0] == before)
    failures = w.status()["failures"]
    # What comes is not valid yet by a clock that is slow: it serves all the same, and is not ordered again.
    set_clock(-7200)
    w.ask("acme renew @web/site")
    until("a clock that is slow is told of", lambda: w.logged("is the clock right") > 0)
    check("and what came serves", w.served()[0] != before)
    check("failures are over", failures != "0" and w.status()["failures"] == "0")
    orders = pebble.said("Issued certificate serial")
    set_clock(10 * YEAR)
    check("ten years ahead no order begins before the next day", w.status()["state"] == "Scheduled" and
          pebble.said("Issued certificate serial") == orders)
    w.end()
    pebble.end()
    if service.failures:
        sys.stdout.write(w.log_text())
    service.finish()


main()
