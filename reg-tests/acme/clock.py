# SPDX-License-Identifier: BSD-2-Clause
"""The clock of the machine is wrong: the log says so, and nobody is asked again and again; see
clock.sh."""
import argparse
import os
import struct

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
        f.write(struct.pack("q", -7200))
    w = World(args.dir, args.penstock)
    pebble = Pebble(args.dir, w.http, w.tls)
    w.configure(pebble.url, extra_global="httpclient.ssl.verify none")  # its server's is not valid yet, either
    env = {**os.environ, "LD_PRELOAD": args.preload, "SHIM_CLOCK": ahead}
    w.start(env=env)
    # What comes is not valid yet by a clock that is slow: it serves all the same, and is not
    # ordered again.
    until("with a slow clock a certificate comes, too", w.ordered)
    until("and the log asks whether the clock is right", lambda: w.logged("is the clock right") > 0)
    check("it is scheduled in years", int(w.status()["scheduled in"].split("d")[0]) > 365 and
          w.status()["failures"] == "0")
    check("one was ordered", pebble.said("Issued certificate serial") == 1)
    before = w.served()
    w.end()
    # The certificates of the authority's own server, of 30 days, have expired by a clock that is
    # fast.
    set_clock(YEAR // 2)
    w.configure(pebble.url)
    w.start(env=env)
    w.ask("acme renew @web/site")
    until("with a fast clock the authority is not trusted, and the log says why",
          lambda: w.logged("no TLS with.*expired") > 0)
    check("the certificate of before serves on", w.served() == before)
    w.finish(pebble)


main()
