# SPDX-License-Identifier: BSD-2-Clause
"""An order of two names, seen from outside; see pebble.sh."""
import argparse
import os
import stat

from acme_world import Pebble, World
from service import check, until


def main():
    p = argparse.ArgumentParser()
    for name in "penstock", "dir", "challenge":
        p.add_argument("--" + name)
    args = p.parse_args()
    w = World(args.dir, args.penstock)
    pebble = Pebble(args.dir, w.http, w.tls, PEBBLE_WFE_NONCEREJECT="50")
    w.configure(pebble.url, f"challenge {args.challenge}")
    w.start()
    check("the log says that a temporary certificate serves", w.logged("temporary certificate, which clients do not trust"))
    until("all workers have the certificate of the authority", w.ordered)
    check("the log says so", w.logged("'@web/site' has a new certificate, valid until"))
    mode = os.stat(w.pem)
    check("the file is there, for its owner alone", stat.S_IMODE(mode.st_mode) == 0o600)
    key = os.stat(os.path.join(args.dir, "account.key"))
    check("and the key of the account", stat.S_IMODE(key.st_mode) == 0o600)
    check("it is scheduled", w.status()["state"] == "Scheduled" and w.status()["failures"] == "0")
    check("no challenge is answered any more", w.ask("show map virt@acme") == "")
    before = w.served()
    check("renewing is asked for", "begins" in w.ask("acme renew @web/site"))
    until("and another certificate comes", lambda: w.served() != before)
    w.end()
    pebble.end()
    now = open(w.pem, encoding="utf-8").read()
    w.start()
    check("a restart finds the certificate", w.ordered())
    check("and orders none", w.status()["state"] == "Scheduled" and open(w.pem, encoding="utf-8").read() == now)
    w.finish()


main()
