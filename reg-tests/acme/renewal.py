# SPDX-License-Identifier: BSD-2-Clause
"""Certificates are renewed when two thirds of their time are over, however short that is, and a
failed order is tried again, all without being asked; see renewal.sh."""
import argparse
import os
import struct
import subprocess
import time

from acme_world import Pebble, World
from service import check, until

LIFE = 3 * 86400


def expires_in(der):
    """Seconds, by the clock of this machine."""
    text = subprocess.run(["openssl", "x509", "-inform", "DER", "-noout", "-enddate", "-dateopt", "iso_8601"],
                          input=der, stdout=subprocess.PIPE, check=True).stdout.decode()
    end = subprocess.run(["date", "-d", text.strip().split("=")[1], "+%s"], stdout=subprocess.PIPE, check=True)
    return int(end.stdout) - time.time()


def short_life(w):
    pebble = Pebble(w.folder, w.http, w.tls, words={"certificateValidityPeriod": 21})
    w.configure(pebble.url)
    w.start()
    until("a certificate of 21 seconds comes", w.ordered)
    seen, last = [], w.served()

    def renewed():
        now = w.served()
        if now != last:
            seen.append(expires_in(now))
        return bool(seen)
    until("it is renewed", renewed)
    check(f"before its end: the next one lives {seen}", w.logged("has expired") == 0)
    last = w.served()
    seen.clear()
    until("so is the next one", renewed)
    check("each was ordered in its last third", pebble.said("Issued certificate serial") <= 4)
    w.end()
    pebble.end()


def clock_jumps(w, preload):
    ahead = os.path.join(w.folder, "ahead")

    def set_clock(seconds):
        with open(ahead, "r+b") as f:
            f.write(struct.pack("q", seconds))

    with open(ahead, "wb") as f:
        f.write(struct.pack("q", 0))
    pebble = Pebble(w.folder, w.http, w.tls, words={"certificateValidityPeriod": LIFE})
    w.configure(pebble.url)
    w.start(env={**os.environ, "LD_PRELOAD": preload, "SHIM_CLOCK": ahead})
    until("a certificate of three days comes", w.ordered)
    before, issued = w.served(), pebble.said("Issued certificate serial")
    pebble.end()
    set_clock(LIFE * 2 // 3 + 3600)
    until("two thirds of its time are over: it is ordered, in vain",
          lambda: w.logged("no connection to it can be made.*tried again in.*valid until") > 0)
    check("the certificate of before serves on", w.served() == before)
    pebble = Pebble(w.folder, w.http, w.tls, port=pebble.port, words={"certificateValidityPeriod": LIFE})
    set_clock(LIFE * 2 // 3 + 3600 + 80)
    until("behind the pause it is tried again, and there is another", lambda: w.served() != before)
    # By that clock the next one is due as well: the third of its life is over, or half a day.
    until("which rests, though the clock says otherwise", lambda: " 11h" in w.status()["scheduled in"])
    check("one was ordered", pebble.said("Issued certificate serial") == issued + 1)
    w.end()
    pebble.end()


def main():
    p = argparse.ArgumentParser()
    for name in "penstock", "dir", "preload", "part":
        p.add_argument("--" + name)
    args = p.parse_args()
    w = World(args.dir, args.penstock)
    if args.part == "life":
        short_life(w)
    else:
        clock_jumps(w, args.preload)
    w.finish()


main()
