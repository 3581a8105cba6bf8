# SPDX-License-Identifier: BSD-2-Clause
"""parse-resolv-conf, and the section "default" that makes itself of /etc/resolv.conf; see
resolv.sh."""
import argparse

import nameserver
import service
from names_world import Origins, World
from service import check, until

SECTION = """resolvers {name}
	{words}
	timeout resolve 50ms
	timeout retry 100ms
"""
REST = """frontend f
	bind {front}
	default_backend b
backend b
	server s1 a.test:{port} resolvers {name} init-addr none resolve-prefer ipv4
"""


def main():
    p = argparse.ArgumentParser()
    for name in "penstock", "dir", "file":
        p.add_argument("--" + name)
    args = p.parse_args()
    port = Origins(["127.0.0.2", "127.0.0.3"]).port
    one = nameserver.NameServer({"a.test": ["127.0.0.2"]}, "127.0.0.1")
    nameserver.NameServer({"a.test": ["127.0.0.3"]}, "127.0.0.7")

    def resolv_conf(text):
        with open(args.file, "w", encoding="utf-8") as f:
            f.write(text)

    resolv_conf("# ours\nsearch example\nnameserver 127.0.0.1\nnameserver nonsense\nnameserver 127.0.0.1\nnameserver\n"
                "nameserver ::1 # nobody is there\n")
    w = World(args, SECTION + REST, name="dns", words="parse-resolv-conf", port=port)
    until("'parse-resolv-conf' leads to an address", lambda: w.addresses() == ["127.0.0.2"])
    check("name servers are called as their addresses", list(w.counts()) == ["127.0.0.1", "::1"])
    check("and counted", w.counts()["127.0.0.1"]["valid"] > 0)
    for sentence in ("/etc/resolv.conf:4: warning: 'nonsense' is not an address",
                     "/etc/resolv.conf:5: warning: there is a name server '127.0.0.1' already in section 'resolvers dns'",
                     "/etc/resolv.conf:6: warning: the address of the name server is missing"):
        check(f"it warns: {sentence}", sentence in w.logged())
    w.end()

    w = World(args, REST, name="default", words="", port=port, workers=2)
    until("without a section 'default' there is one of resolv.conf", lambda: w.addresses() == ["127.0.0.2"])
    check("with its name servers", list(w.counts("default")) == ["127.0.0.1", "::1"])
    check("of whose lines nothing is told", "resolv.conf" not in w.logged())
    resolv_conf("nameserver 127.0.0.7\n")
    check("a reload", "Success=1" in service.ask(w.parent, "reload"))
    until("reads the file anew", lambda: w.addresses() == ["127.0.0.3"])
    w.end()

    asked = sum(one.asked.values())
    w = World(args, SECTION + REST, name="default", words="nameserver mine 127.0.0.1:53", port=port)
    until("a section 'default' of the file is what counts", lambda: w.addresses() == ["127.0.0.2"])
    check("as who is asked shows", list(w.counts("default")) == ["mine"] and sum(one.asked.values()) > asked)
    w.end()

    resolv_conf("")
    w = World(args, SECTION + "\tparse-resolv-conf\n" + REST, name="dns", words="nameserver ns 127.0.0.1:53", port=port)
    until("an empty file adds none", lambda: w.addresses() == ["127.0.0.2"] and list(w.counts()) == ["ns"])
    check("nor is there a section 'default'", "Can't find that resolvers section" in w.ask("show resolvers default"))
    w.end()
    service.finish()


main()
