# SPDX-License-Identifier: BSD-2-Clause
"""Workers without rights, in another root directory: the parent writes, and says when it cannot;
see rights.sh."""
import argparse
import os
import stat

from acme_world import Pebble, World
from service import check, until


def main():
    p = argparse.ArgumentParser()
    for name in "penstock", "dir":
        p.add_argument("--" + name)
    args = p.parse_args()
    os.makedirs(os.path.join(args.dir, "empty/keys"))
    w = World(args.dir, args.penstock, workers=1)
    w.pem = os.path.join(args.dir, "keys/site.pem")
    os.mkdir(os.path.dirname(w.pem))
    pebble = Pebble(args.dir, w.http, w.tls, words={
        "externalAccountBindingRequired": True,
        "externalAccountMACKeys": {"kid-1": "zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W"}})
    for name, text in ("id", "kid-1\n"), ("mac", "zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W\n"):
        with open(os.path.join(args.dir, name), "w", encoding="utf-8") as f:
            f.write(text)
    w.configure(pebble.url, f"keytype RSA\n\teab-key-id {args.dir}/id\n\teab-mac-key {args.dir}/mac",
                extra_global=f"user nobody\n\tchroot {args.dir}/empty")
    w.start()
    until("a certificate comes, for an account that is bound to another", w.ordered)
    mode = os.stat(w.pem)
    check("root has written it, for itself alone", mode.st_uid == 0 and stat.S_IMODE(mode.st_mode) == 0o600)
    check("no other file is left", os.listdir(os.path.dirname(w.pem)) == ["site.pem"])
    os.chmod(w.pem, 0o640)
    before, inode = w.served(), os.stat(w.pem).st_ino
    w.ask("acme renew @web/site")
    until("a renewed one takes its place", lambda: os.stat(w.pem).st_ino != inode)
    check("and keeps its mode", stat.S_IMODE(os.stat(w.pem).st_mode) == 0o640)
    # A folder that has gone: the certificate is in force all the same, and written when it can be.
    os.rename(os.path.dirname(w.pem), args.dir + "/away")
    before = w.served()
    w.ask("acme renew @web/site")
    until("what cannot be written is in force", lambda: w.served() != before)
    until("and the log says that a restart would lose it",
          lambda: w.logged("is in force, but not on the disk, and is lost with a restart.*No such file"))
    w.finish(pebble)


main()
