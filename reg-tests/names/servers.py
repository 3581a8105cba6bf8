# SPDX-License-Identifier: BSD-2-Clause
"""One claim each, about servers whose names are looked up while serving; see servers.sh."""
import argparse
import os
import signal
import socket
import time

import nameserver
import service
from names_world import Origins, Traffic, World
from service import check, until

SECTION = """resolvers dns
	nameserver ns1 127.0.0.1:{dns}
	timeout resolve 50ms
	timeout retry 100ms
	{words}
frontend f
	bind {front}
	default_backend b
backend b
"""
SERVER = "\tserver s1 a.test:{port} resolvers dns init-addr none resolve-prefer ipv4\n"


def address_changes(args, origins):
    ns = nameserver.NameServer({"a.test": ["127.0.0.2"]}, port=0)
    w = World(args, SECTION + SERVER, dns=ns.port, port=origins.port, words="")
    until("a server without address gets one", lambda: w.addresses() == ["127.0.0.2"])
    for line in ("b/s1 changed its IP from (none) to 127.0.0.2 by dns/ns1.",
                 "Server b/s1 ('a.test') is UP/READY (resolves again).",
                 "Server b/s1 administratively READY thanks to valid DNS answer."):
        until(f"the log says: {line}", lambda line=line: line in w.logged())
    check("and serves", w.get() == "127.0.0.2")
    traffic = Traffic(w)
    for i in range(6):
        to = f"127.0.0.{3 - i % 2}"
        ns.zone["a.test"] = [to]
        until(f"its address changes to {to}", lambda to=to: w.addresses() == [to])
        before = origins.requests[to]
        until("and it serves there", lambda to=to, before=before: origins.requests[to] > before + 20)
    traffic.end("no request fails while addresses change")
    check("the log tells of the change",
          "b/s1 changed its IP from 127.0.0.2 to 127.0.0.3 by dns/ns1." in w.logged())
    before = w.counts()["ns1"]
    until("valid answers are counted", lambda: w.counts()["ns1"]["valid"] > before["valid"] + 3)
    check("those that change nothing are no updates", w.counts()["ns1"]["update"] == before["update"])
    until("ports change", lambda: len(ns.seen) > 2)
    w.end()


def holds(args, origins):
    words = "\n\t".join(f"hold {what} 400ms" for what in ("nx", "refused", "other", "timeout"))
    ns = nameserver.NameServer({"a.test": ["127.0.0.2"]}, port=0)
    w = World(args, SECTION + SERVER, dns=ns.port, port=origins.port, words="resolve_retries 1\n\t" + words)
    for what, reason in ((nameserver.NXDOMAIN, "DNS NX status"), (nameserver.REFUSED, "DNS refused status"),
                         (nameserver.SERVFAIL, "unspecified DNS error"), (nameserver.SILENT, "DNS timeout status")):
        ns.zone["a.test"] = ["127.0.0.2"]
        until("it has an address", lambda: w.addresses() == ["127.0.0.2"])
        ns.zone["a.test"] = what
        until(f"it loses it: {reason}", lambda: w.servers()["b/s1"]["srv_admin_state"] == "32")
        check("it has none then", w.addresses() == ["-"])
        line = f"Server b/s1 is going DOWN for maintenance ({reason}). 0 active and 0 backup servers left."
        until("the log says why", lambda line=line: line in w.logged())
        check("show stat, too", "b,s1," in w.ask("show stat") and "MAINT (resolution)" in w.ask("show stat"))
    w.end()
    # Dead name servers take nothing from anybody as long as "hold" says.
    ns = nameserver.NameServer({"a.test": ["127.0.0.2"]}, port=0)
    w = World(args, SECTION + SERVER, dns=ns.port, port=origins.port, words="resolve_retries 1\n\thold timeout 1h")
    until("it has an address", lambda: w.addresses() == ["127.0.0.2"])
    ns.silent = True
    before = w.counts()["ns1"]["timeout"]
    until("the name server is silent", lambda: w.counts()["ns1"]["timeout"] > before + 5)
    check("the address holds", w.addresses() == ["127.0.0.2"] and w.get() == "127.0.0.2")
    w.end()


def lost_between_tries(args, origins):
    """A request that waits to be tried again goes on elsewhere when its server has lost its address
    meanwhile."""
    ns = nameserver.NameServer({"a.test": ["127.0.0.9"]}, port=0)
    text = SECTION + "\tretries 100\n" + SERVER
    for other, status in ("\tserver s2 127.0.0.2:{port} disabled\n", "200"), ("", "503"):
        ns.zone["a.test"] = ["127.0.0.9"]
        w = World(args, text + other, dns=ns.port, port=origins.port, words="resolve_retries 1\n\thold nx 0")
        until("it has an address, behind which nobody listens", lambda: w.addresses()[0] == "127.0.0.9")
        with service.connect(w.front) as s:
            s.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            until("a request is tried again", lambda: w.retries("b", "s1") > 0)
            if other:
                w.ask("enable server b/s2")
            ns.zone["a.test"] = nameserver.NXDOMAIN
            until("its server loses its address", lambda: w.addresses()[0] == "-")
            answer = service.read_all(s).decode()[9:12]
        check(f"the request goes on elsewhere, or there is no server: {answer}", answer == status)
        check("nothing was missing here", "Cannot connect" not in w.logged())
        w.end()


def forced(args, origins):
    """A server without an address that is forced upon a request is one that refuses."""
    ns = nameserver.NameServer({"a.test": nameserver.NXDOMAIN}, port=0)
    w = World(args, SECTION + "\tretries 0\n\tforce-persist if TRUE\n\tcookie SRV insert\n" +
              SERVER.replace("\n", " cookie c1\n"), dns=ns.port, port=origins.port, words="")
    with service.connect(w.front) as s:
        s.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nCookie: SRV=c1\r\nConnection: close\r\n\r\n")
        answer = service.read_all(s).decode()[9:12]
    check(f"the answer says so: {answer}", answer == "503")
    w.end()


def by_hand(args, origins):
    """An address that was set by hand stays until an answer changes, also while the name fails."""
    ns = nameserver.NameServer({"a.test": nameserver.NXDOMAIN}, port=0)
    w = World(args, SECTION + SERVER, dns=ns.port, port=origins.port, words="resolve_retries 1\n\thold nx 0\n\thold timeout 0")
    for what, count in (nameserver.NXDOMAIN, "nx"), (nameserver.SILENT, "timeout"):
        ns.zone["a.test"] = ["127.0.0.2"]
        until("it has an address", lambda: w.addresses() == ["127.0.0.2"])
        ns.zone["a.test"] = what
        until("it loses it", lambda: w.addresses() == ["-"])
        w.ask("set server b/s1 addr 127.0.0.3")
        before = w.counts()["ns1"][count]
        until("the name fails on", lambda count=count, before=before: w.counts()["ns1"][count] > before + 5)
        check(f"the address set by hand stays: {count}", w.addresses() == ["127.0.0.3"] and w.get() == "127.0.0.3")
        ns.zone["a.test"] = ["127.0.0.4"]
        until("until there is an answer", lambda: w.addresses() == ["127.0.0.4"])
    w.end()


def families(args, origins):
    """With "resolve-prefer ipv6" AAAA is asked for first, and A where there is none."""
    ns = nameserver.NameServer({"both.test": ["127.0.0.2", "::1"], "four.test": ["127.0.0.3"]}, port=0)
    text = SECTION + "".join(f"\tserver {n} {n}.test:{{port}} resolvers dns init-addr none resolve-prefer ipv6\n"
                             for n in ("both", "four"))
    w = World(args, text, dns=ns.port, port=origins.port, words="")
    until("AAAA comes first, and A where there is none", lambda: w.addresses() == ["::1", "127.0.0.3"])
    check("A was not asked for where there is AAAA", not ns.asked["both.test", nameserver.A])
    ns.zone["both.test"] = ["127.0.0.2"]
    until("without AAAA there is A", lambda: w.addresses() == ["127.0.0.2", "127.0.0.3"])
    ns.zone["both.test"] = ["127.0.0.2", "::1"]
    until("and AAAA again, as soon as it is there", lambda: w.addresses() == ["::1", "127.0.0.3"])
    w.end()


def obsolete(args, origins):
    """Records that answers have no more are used for "hold obsolete"."""
    text = SECTION + "\tserver-template t 2 many.test:{port} resolvers dns init-addr none resolve-prefer ipv4\n"
    for hold in "1h", "300ms":
        ns = nameserver.NameServer({"many.test": ["127.0.0.2", "127.0.0.3"]}, port=0)
        w = World(args, text, dns=ns.port, port=origins.port, words="hold obsolete " + hold)
        until("each has an address", lambda: sorted(w.addresses()) == ["127.0.0.2", "127.0.0.3"])
        ns.zone["many.test"] = ["127.0.0.2"]
        before = w.counts()["ns1"]["valid"]
        until("an address is in answers no more", lambda before=before: w.counts()["ns1"]["valid"] > before + 5)
        if hold == "1h":
            check("it holds", sorted(w.addresses()) == ["127.0.0.2", "127.0.0.3"])
        else:
            until("it holds no longer than that", lambda: sorted(w.addresses()) == ["-", "127.0.0.2"])
        w.end()


def hostile(args, origins):
    ns = nameserver.NameServer({"forged.test": nameserver.FORGED, "b.test": "c.test", "c.test": ["127.0.0.3"],
                                "d.test": nameserver.GARBAGE, "e.test": "f.test", "f.test": "e.test",
                                "g.test": ["127.0.0.2"], "h.test": [f"10.0.{i // 250}.{i % 250}" for i in range(600)]},
                               port=0, cut=["g.test"])
    names = ["forged"] + list("bcdegh")
    text = SECTION + "".join(f"\tserver {n} {n}.test:{{port}} resolvers dns init-addr none resolve-prefer ipv4\n"
                             for n in names)
    w = World(args, text, dns=ns.port, port=origins.port, words="accepted_payload_size 8192")
    address = lambda n: w.servers()["b/" + n]["srv_addr"]
    until("answers of others do not count", lambda: address("forged") == "127.0.0.1")
    until("aliases are followed", lambda: address("b") == "127.0.0.3")
    until("a cut answer is asked for over TCP", lambda: address("g") == "127.0.0.2")
    check("which the name server has seen", ns.by_tcp["g.test", nameserver.A] > 0)
    until("an answer that is too long is counted", lambda: w.counts()["ns1"]["too_big"] > 0)
    check("and gives no address", address("h") == "-")
    until("garbage is counted", lambda: w.counts()["ns1"]["invalid"] > 3)
    until("aliases that lead in a round, too", lambda: w.counts()["ns1"]["cname"] + w.counts()["ns1"]["cname_error"] > 0)
    check("neither gives an address", address("d") == address("e") == "-")
    ns.zone["h.test"] = [f"10.0.{i // 250}.{i % 250}" for i in range(300)]
    until("three hundred records that fit are taken", lambda: address("h").startswith("10.0."))
    w.end()


def counted(w, what):
    return w.counts()["ns1"][what]


def broken(args, origins):
    """Names that point in rounds, long ways of aliases, a thousand records, a name that is there
    and not, in turns."""
    ns = nameserver.NameServer({"a.test": ["127.0.0.2"], "round.test": nameserver.ROUND, "far.test": "c1.test",
                                "c12.test": ["127.0.0.3"], "too-far.test": "d1.test", "d40.test": ["127.0.0.66"]}, port=0)
    ns.zone.update({f"c{i}.test": f"c{i + 1}.test" for i in range(1, 12)})
    ns.zone.update({f"d{i}.test": f"d{i + 1}.test" for i in range(1, 40)})
    ns.zone["many.test"] = [f"127.0.{1 + i // 250}.{i % 250}" for i in range(2000)] + ["127.0.0.4"]
    ns.cut.add("many.test")
    names = ["a", "round", "far", "too-far", "many"]
    text = SECTION + "".join(f"\tserver {n} {n}.test:{{port}} resolvers dns init-addr none resolve-prefer ipv4\n"
                             for n in names)
    w = World(args, text, dns=ns.port, port=origins.port, words="accepted_payload_size 8192\n\thold nx 1h")
    address = lambda n: w.servers()["b/" + n]["srv_addr"]
    until("twelve aliases are followed", lambda: address("far") == "127.0.0.3")
    until("of two thousand records some are taken", lambda: address("many").startswith("127.0."))
    until("pointers in rounds are counted", lambda: counted(w, "invalid") > 5)
    until("so is a way that never ends", lambda: counted(w, "cname_error") > 2)
    check("neither gives an address", address("round") == address("too-far") == "-")
    until("it has an address", lambda: address("a") == "127.0.0.2")
    before = counted(w, "nx")
    for i in range(10):
        ns.zone["a.test"] = nameserver.NXDOMAIN if i % 2 == 0 else [f"127.0.0.{2 + i % 4 // 2}"]
        if i % 2 == 0:
            until("the name is not there", lambda before=before: counted(w, "nx") > before)
            check("its address holds", address("a").startswith("127.0.0."))
        else:
            until("it is there again", lambda i=i: address("a") == f"127.0.0.{2 + i % 4 // 2}")
        before = counted(w, "nx")
    check("and was never lost", "b/a is going DOWN" not in w.logged())
    w.end()


def no_ttl(args, origins):
    """Records that may not be kept are asked for as often as others."""
    ns = nameserver.NameServer({"a.test": ["127.0.0.2"]}, port=0, ttl=0)
    w = World(args, SECTION + SERVER, dns=ns.port, port=origins.port, words="")
    until("a record with TTL 0 is taken", lambda: w.addresses() == ["127.0.0.2"])
    traffic = Traffic(w)
    for i in range(4):
        ns.zone["a.test"] = [f"127.0.0.{3 - i % 2}"]
        until("and the next one", lambda i=i: w.addresses() == [f"127.0.0.{3 - i % 2}"])
    traffic.end("no request fails")
    asked, valid = ns.asked["a.test", nameserver.A], counted(w, "valid")
    until("it goes on", lambda: counted(w, "valid") > valid + 5)
    check("at the pace that the section says", ns.asked["a.test", nameserver.A] - asked < 60)
    w.end()


def connect_timeout(args, origins):
    """A check that gets no connection in time asks for the name at once, whatever "timeout resolve"
    says."""
    port = service.free_ports(1)[0]
    full = socket.socket()
    full.bind(("127.0.0.9", port))
    full.listen(0)
    fillers = []
    for _ in range(4):  # then the kernel drops who else comes
        s = socket.socket()
        s.setblocking(False)
        s.connect_ex(("127.0.0.9", port))
        fillers.append(s)
    ok = socket.socket()
    ok.bind(("127.0.0.8", port))
    ok.listen(100)
    ns = nameserver.NameServer({"a.test": ["127.0.0.9"]}, port=0)
    w = World(args, SECTION.replace("timeout resolve 50ms", "timeout resolve 1h") +
              "\ttimeout connect 200ms\n" + SERVER.replace("\n", " check inter 200ms\n"), dns=ns.port, port=port, words="")
    until("it gets an address behind which nobody answers", lambda: w.addresses() == ["127.0.0.9"])
    asked = ns.asked["a.test", nameserver.A]
    until("the name is asked for again", lambda: ns.asked["a.test", nameserver.A] > asked)
    ns.zone["a.test"] = ["127.0.0.8"]
    until("its next address is learnt", lambda: w.addresses() == ["127.0.0.8"])
    until("and it is up", lambda: w.servers()["b/s1"]["srv_op_state"] == "2" and "L4OK" in w.ask("show stat"))
    for s in fillers + [full, ok]:
        s.close()
    w.end()


def init_state(args, origins):
    """An address that a name has just got is used when a check has passed, not before."""
    port = service.free_ports(1)[0]
    ns = nameserver.NameServer({"a.test": ["127.0.0.2"]}, port=0)
    w = World(args, SECTION + SERVER.replace("\n", " check inter 50ms rise 2 init-state down\n"), dns=ns.port, port=port,
              words="hold nx 0\n\tresolve_retries 1")
    until("it has an address, behind which nobody listens", lambda: w.addresses() == ["127.0.0.2"])
    until("checks fail", lambda: "L4CON" in w.ask("show stat"))
    check("it is down, and was never up", w.servers()["b/s1"]["srv_op_state"] == "0")
    check("as the log says", "is DOWN/READY (resolves again)." in w.logged() and "is UP" not in w.logged())
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind(("127.0.0.2", port))
    s.listen(100)
    until("one that passes is not enough behind one that failed: then it is up",
          lambda: w.servers()["b/s1"]["srv_op_state"] == "2")
    ns.zone["a.test"] = nameserver.NXDOMAIN
    until("it loses its address", lambda: w.addresses() == ["-"])
    ns.zone["a.test"] = ["127.0.0.2"]
    until("and is up again", lambda: w.servers()["b/s1"]["srv_op_state"] == "2")
    check("by way of down", w.logged().count("is DOWN/READY (resolves again).") >= 2)
    s.close()
    w.end()


def templates(args, origins):
    ns = nameserver.NameServer({"many.test": ["127.0.0.2", "127.0.0.3"], "x.test": ["127.0.0.2"],
                                "y.test": ["127.0.0.3"], "z.test": ["127.0.0.4"]}, port=0)
    port = origins.port
    ns.zone["_s.test"] = [(1, 65535, port, "x.test"), (1, 300, port, "y.test")]
    text = SECTION + "\tserver-template t 3 many.test:{port} resolvers dns init-addr none resolve-prefer ipv4\n" \
        "backend dup\n\tserver-template d 3 many.test:{port} resolvers dns init-addr none resolve-prefer ipv4 " \
        "resolve-opts allow-dup-ip\n" \
        "backend own\n\tdefault-server resolve-opts allow-dup-ip\n\tserver-template o 3 many.test:{port} " \
        "resolvers dns init-addr none resolve-prefer ipv4 resolve-opts prevent-dup-ip\n" \
        "backend s\n\tserver-template s 3 _s.test resolvers dns resolve-prefer ipv4 weight 7\n" \
        "backend i\n\tserver-template i 3 _s.test resolvers dns resolve-prefer ipv4 weight 7 " \
        "resolve-opts ignore-weight\n" \
        "backend n\n\tserver n many.test:{port} resolvers dns init-addr none resolve-prefer ipv4 resolve-net " \
        "127.0.0.3/32\n"
    w = World(args, text, dns=ns.port, port=port, words="")
    until("each of a template has an address of its own",
          lambda: sorted(w.addresses("b")) == ["-", "127.0.0.2", "127.0.0.3"])
    until("two may have one when they are allowed to",
          lambda: sorted(set(w.addresses("dup"))) == ["127.0.0.2", "127.0.0.3"] and "-" not in w.addresses("dup"))
    until("not where they are not", lambda: sorted(w.addresses("own")) == ["-", "127.0.0.2", "127.0.0.3"])
    until("networks come first", lambda: w.addresses("n") == ["127.0.0.3"])
    until("services fill a template", lambda: sorted(w.addresses("s")) == ["-", "127.0.0.2", "127.0.0.3"])
    rows = {row["srv_addr"]: row for name, row in w.servers().items() if name.startswith("s/")}
    check("with ports, hosts and weights", [(rows[a]["srv_port"], rows[a]["srv_fqdn"], rows[a]["srvrecord"],
          rows[a]["srv_uweight"], rows[a]["srv_admin_state"]) for a in ("127.0.0.2", "127.0.0.3")] ==
          [(str(port), "x.test", "_s.test", "256", "64"), (str(port), "y.test", "_s.test", "2", "64")])
    until("weights are left alone where they are to be",
          lambda: all(row["srv_uweight"] == "7" for name, row in w.servers().items() if name.startswith("i/")))
    ns.zone["_s.test"] = [(2, 0, port, "y.test"), (1, 65535, port, "z.test"), (3, 1, port, "x.test"), (9, 1, 9, "x.test")]
    until("a further host takes the free place, the lowest priority first",
          lambda: sorted(w.addresses("s")) == ["127.0.0.2", "127.0.0.3", "127.0.0.4"])
    ns.zone["_s.test"] = [(1, 65535, port, "z.test")]
    until("hosts that are gone leave", lambda: sorted(w.addresses("s")) == ["-", "-", "127.0.0.4"])
    until("the log says so", lambda: "is going DOWN for maintenance (entry removed from SRV record)" in w.logged())
    ns.zone["z.test"] = ["127.0.0.2"]
    until("a host changes its address", lambda: sorted(w.addresses("s")) == ["-", "-", "127.0.0.2"])
    ns.zone["many.test"] = ["127.0.0.4"]
    until("one address is for one server", lambda: sorted(w.addresses("b")) == ["-", "-", "127.0.0.4"])
    check("others have none", "(No IP for server )" in w.logged())
    w.end()
    ns.additional = True
    ns.zone["_s.test"] = [(1, 65535, port, "x.test")]
    ns.asked.clear()
    w = World(args, SECTION + "\tserver-template s 2 _s.test resolvers dns resolve-prefer ipv4\n",
              dns=ns.port, port=port, words="")
    until("addresses beside services are used", lambda: w.addresses() == ["127.0.0.2", "-"])
    check("without asking for the host", not ns.asked["x.test", nameserver.A])
    check("as the log says", "s1 changed its IP from (none) to 127.0.0.2 by DNS additional record." in w.logged())
    check("it serves", w.get() == "127.0.0.2")
    ns.zone["x.test"] = ["127.0.0.3"]
    until("they change", lambda: w.addresses() == ["127.0.0.3", "-"])
    w.end()


def fqdn(args, origins):
    ns = nameserver.NameServer({"a.test": ["127.0.0.2"], "b.test": ["127.0.0.3"]}, port=0)
    w = World(args, SECTION + SERVER + "\tserver s2 127.0.0.2:{port}\n", dns=ns.port, port=origins.port, words="",
              workers=args.workers)
    until("it has an address", lambda: w.addresses()[0] == "127.0.0.2")
    said = w.ask("set server b/s1 fqdn b.test").strip()
    check(f"another name: {said}", said == "b/s1 changed its FQDN from a.test to b.test by 'stats socket command'")
    until("gives another address", lambda: w.addresses()[0] == "127.0.0.3")
    check("the state tells", w.servers()["b/s1"]["srv_fqdn"] == "b.test" and w.servers()["b/s1"]["srv_admin_state"] == "64")
    for command, wanted in (("fqdn b.test", "no need to change the FDQN by 'stats socket command'"),
                            ("fqdn", "set server <b>/<s> fqdn requires a FQDN."),
                            ("fqdn -x", "set server <b>/<s> fqdn failed because '-x' is no name of a host.")):
        said = w.ask("set server b/s1 " + command).strip()
        check(f"{command}: {said}", said == wanted)
    said = w.ask("set server b/s2 fqdn b.test").strip()
    check(f"only where names are asked for: {said}",
          said == "set server <b>/<s> fqdn failed because no resolution is configured.")
    check("an unknown section", w.ask("show resolvers nope").strip() == "Can't find that resolvers section")
    w.end()


def freed(args, origins):
    """A server that leaves the others of its name leaves its address to one that has none."""
    ns = nameserver.NameServer({"a.test": ["127.0.0.2"], "b.test": ["127.0.0.3"], "x.test": ["127.0.0.4"],
                                "many.test": ["127.0.0.2", "127.0.0.3"]}, port=0)
    text = SECTION + "\tserver-template t 4 many.test:{port} resolvers dns init-addr none resolve-prefer ipv4\n" \
        "backend e\n" + SERVER + SERVER.replace("s1 a.test", "s2 b.test")
    w = World(args, text, dns=ns.port, port=origins.port, words="", workers=args.workers)
    states = lambda backend: [(row["srv_addr"], row["srv_admin_state"]) for name, row in w.servers().items()
                              if name.startswith(backend + "/")]
    until("two of four have an address", lambda: sorted(w.addresses()) == ["-", "-", "127.0.0.2", "127.0.0.3"])
    had = next(name for name, row in w.servers().items() if row["srv_addr"] == "127.0.0.2")
    w.ask(f"set server {had} fqdn x.test")
    until("one changes its name: a third has its address",
          lambda: sorted(w.addresses()) == ["-", "127.0.0.2", "127.0.0.3", "127.0.0.4"])
    had = next(name for name, row in w.servers().items() if row["srv_addr"] == "127.0.0.3")
    w.ask(f"set server {had} state maint")
    check("one is deleted", "Server deleted" in w.ask(f"del server {had}"))
    until("the fourth has its address", lambda: sorted(w.addresses()) == ["127.0.0.2", "127.0.0.3", "127.0.0.4"])
    ns.zone["many.test"] = ["127.0.0.1", "127.0.0.2"]
    until("and who is gone is not in the way of changes",
          lambda: sorted(w.addresses()) == ["127.0.0.1", "127.0.0.2", "127.0.0.4"])
    until("two names have an address each", lambda: w.addresses("e") == ["127.0.0.2", "127.0.0.3"])
    w.ask("set server e/s2 fqdn a.test")
    until("a second one of a name has no address", lambda: states("e") == [("127.0.0.2", "0"), ("-", "96")])
    w.ask("set server e/s1 fqdn x.test")
    until("it has one when the first goes on", lambda: states("e") == [("127.0.0.4", "64"), ("127.0.0.2", "64")])
    w.end()


def workers(args, origins):
    """All agree; who asks may die; a reload leaves no server without address."""
    ns = nameserver.NameServer({"a.test": ["127.0.0.2"], "x.test": ["127.0.0.3"]}, port=0)
    ns.zone["_s.test"] = [(1, 65535, origins.port, "x.test")]
    text = SECTION + SERVER + "backend s\n\tserver-template s 2 _s.test resolvers dns resolve-prefer ipv4\n"
    w = World(args, text, workers=3, dns=ns.port, port=origins.port, words="hold timeout 1h")
    parent = lambda command: service.ask(w.parent, command)
    pids = lambda: [int(line.split()[0]) for line in
                    parent("show proc").split("# workers")[1].split("#")[0].splitlines() if line.strip()]

    def all_have(address):
        found = [parent(f"@{n} show servers state b") for n in range(1, 4)]
        return all(f" s1 {address} 2 " in one for one in found)
    until("all workers have the address", lambda: all_have("127.0.0.2"))
    until("and the host of the service", lambda: w.addresses("s") == ["127.0.0.3", "-"])
    traffic = Traffic(w)
    for i in range(3):
        victim = pids()[0]
        os.kill(victim, signal.SIGKILL)
        to = f"127.0.0.{3 - i % 2}"
        ns.zone["a.test"] = [to]
        until(f"who asks is killed, and all have {to}", lambda to=to: all_have(to))
        until("it is replaced", lambda victim=victim: len(pids()) == 3 and victim not in pids())
    traffic.stop()  # requests of a killed worker fail
    w.ask("set server b/s1 fqdn x.test")
    until("set server fqdn reaches all", lambda: all_have("127.0.0.3"))
    ns.silent = True  # so that nothing but what was known can give addresses
    lost = w.logged().count("going DOWN")
    traffic = Traffic(w)
    for _ in range(3):
        old = set(pids())
        check("a reload", "Success=1" in parent("reload"))
        until("new workers serve", lambda old=old: len(pids()) == 3 and not old & set(pids()))
        check("with the address of before", all_have("127.0.0.3"))
        check("and the service's host", w.addresses("s") == ["127.0.0.3", "-"])
    traffic.end("no request fails over reloads without a name server")
    check("no server has lost its address", w.logged().count("going DOWN") == lost)
    ns.silent = False
    ns.zone["x.test"] = ["127.0.0.4"]
    until("then changes are learnt again", lambda: all_have("127.0.0.4"))
    w.end()


def asker(pids, port):
    """Whose socket, of these processes, is connected to that port."""
    with open("/proc/net/udp", encoding="utf-8") as f:
        inodes = {f"socket:[{line.split()[9]}]" for line in f if line.split()[2].endswith(f":{port:04X}")}
    found = set()
    for pid in pids:
        try:
            folder = f"/proc/{pid}/fd"
            found |= {pid for fd in os.listdir(folder) if os.readlink(f"{folder}/{fd}") in inodes}
        except OSError:  # it has ended, or closed it
            pass
    return found


def one_asks(args, origins):
    """Of four workers one asks for all; another one, when it is killed."""
    ns = nameserver.NameServer({"a.test": ["127.0.0.2"]}, port=0)
    w = World(args, SECTION.replace("resolve 50ms", "resolve 100ms") + SERVER, workers=4, dns=ns.port, port=origins.port,
              words="timeout retry 30s\n\thold timeout 1h")
    parent = lambda command: service.ask(w.parent, command)
    pids = lambda: [int(line.split()[0]) for line in
                    parent("show proc").split("# workers")[1].split("#")[0].splitlines() if line.strip()]

    def rate(sentence):
        """Four would ask forty times a second; a slow machine asks less often."""
        before, begin = ns.asked["a.test", nameserver.A], time.monotonic()
        until("questions come", lambda: ns.asked["a.test", nameserver.A] >= before + 20)
        asked, time_s = ns.asked["a.test", nameserver.A] - before, time.monotonic() - begin
        check(f"{sentence}: {asked} questions in {time_s:.2f} s", asked <= 15 * time_s + 5)

    until("they have the address", lambda: w.addresses() == ["127.0.0.2"])
    rate("four workers ask as often as one")
    first = set()
    until("it is known who asks", lambda: first.update(asker(pids(), ns.port)) or first)
    check("one asks", len(first) == 1)
    os.kill(first.copy().pop(), signal.SIGKILL)
    until("another one asks when it is killed", lambda: asker(pids(), ns.port) - first)
    until("and it is replaced", lambda: len(pids()) == 4 and not first & set(pids()))
    rate("which is one again")
    check("as is seen of sockets", len(asker(pids(), ns.port)) <= 1)
    w.end()


def random_numbers(args, origins):
    """Numbers and ports of 200 questions: fifty name servers, which are one, are asked for four
    names. Each question has a port of its own."""
    ns = nameserver.NameServer({f"n{i}.test": ["127.0.0.2"] for i in range(4)}, port=0)
    text = SECTION.replace("\ttimeout resolve 50ms", "".join(f"\tnameserver m{i} 127.0.0.1:{{dns}}\n" for i in range(49)) +
                           "\ttimeout resolve 1h")
    servers = "".join(f"\tserver s{i} n{i}.test:{{port}} resolvers dns init-addr none resolve-prefer ipv4\n" for i in range(4))
    ns.silent = True  # so that all of them are asked
    w = World(args, text.replace("retry 100ms", "retry 1h") + servers, dns=ns.port, port=origins.port, words="")
    until("two hundred questions are asked", lambda: len(ns.ids) >= 200)
    ids, ports = ns.ids[:200], list(ns.seen)
    check(f"their numbers differ: {len(set(ids))}", len(set(ids)) >= 195)
    near = sum(abs(a - b) <= 16 for a, b in zip(ids, ids[1:]))
    check(f"and do not follow one another: {near}", near <= 4)
    eighths = [sum(n >> 13 == i for n in ids) for i in range(8)]
    check(f"they come from everywhere: {eighths}", 4 <= min(eighths) and max(eighths) <= 52)
    bits = [sum(n >> i & 1 for n in ids) for i in range(16)]
    check(f"in each bit: {min(bits)} to {max(bits)}", 62 <= min(bits) and max(bits) <= 138)
    check(f"each question has its own port: {len(ports)}", len(ports) >= 195)
    near = sum(abs(a - b) <= 4 for a, b in zip(ports, ports[1:]))
    check(f"ports do not follow one another: {near}", near <= 8)
    low, high = (int(n) for n in open("/proc/sys/net/ipv4/ip_local_port_range", encoding="utf-8").read().split())
    quarters = [sum((p - low) * 4 // (high - low + 1) == i for p in ports) for i in range(4)]
    check(f"and come from everywhere: {quarters}", min(quarters) >= 20)
    w.end()


def state_file(args, origins):
    """What was learnt passes over a restart by a file of server states, too."""
    ns = nameserver.NameServer({"a.test": ["127.0.0.2"], "x.test": ["127.0.0.3"]}, port=0)
    ns.zone["_s.test"] = [(1, 65535, origins.port, "x.test")]
    path = os.path.join(args.dir, "states")
    text = SECTION.replace("resolvers dns\n", "\tload-server-state-from-file global\nglobal\n\tserver-state-file " +
                           path + "\nresolvers dns\n") + SERVER.replace("init-addr none", "init-addr last,none") + \
        "backend s\n\tserver-template s 2 _s.test resolvers dns resolve-prefer ipv4\n"
    with open(path, "w", encoding="utf-8") as f:
        f.write("1\n")
    w = World(args, text, dns=ns.port, port=origins.port, words="")
    until("servers have addresses", lambda: w.addresses() == ["127.0.0.2"] and w.addresses("s") == ["127.0.0.3", "-"])
    with open(path, "w", encoding="utf-8") as f:
        f.write(w.ask("show servers state") + "\n")
    w.end()
    ns.silent = True
    w = World(args, text, dns=ns.port, port=origins.port, words="hold timeout 1h")
    check("they have them at once after a restart", w.addresses() == ["127.0.0.2"])
    row = w.servers()["s/s1"]
    check("with the host of the service", (row["srv_addr"], row["srv_fqdn"], row["srv_port"]) ==
          ("127.0.0.3", "x.test", str(origins.port)))
    check("and serve", w.get() == "127.0.0.2")
    w.end()


def tcp(args, origins):
    ns = nameserver.NameServer({"a.test": ["127.0.0.2"]}, port=0)
    w = World(args, SECTION.replace("ns1 127", "ns1 tcp@127") + SERVER, dns=ns.port, port=origins.port, words="")
    until("a name server is asked over TCP", lambda: w.addresses() == ["127.0.0.2"])
    check("alone", ns.by_tcp["a.test", nameserver.A] == ns.asked["a.test", nameserver.A] > 0)
    w.end()


def several(args, origins):
    """The first valid answer counts, whoever else fails."""
    bad = nameserver.NameServer({"a.test": nameserver.NXDOMAIN}, port=0)
    good = nameserver.NameServer({"a.test": ["127.0.0.2"]}, port=0)
    w = World(args, SECTION.replace("\ttimeout resolve", "\tnameserver ns2 127.0.0.1:{good}\n\ttimeout resolve") + SERVER,
              dns=bad.port, good=good.port, port=origins.port, words="hold nx 0")
    until("one of two name servers knows the name", lambda: w.addresses() == ["127.0.0.2"])
    before = w.counts()["ns2"]["valid"]
    until("again and again", lambda: w.counts()["ns2"]["valid"] > before + 10)
    check("the other one changes nothing", "going DOWN" not in w.logged() and w.counts()["ns1"]["nx"] > 0)
    w.end()


TESTS = [random_numbers, one_asks, address_changes, holds, lost_between_tries, forced, by_hand, families, obsolete, hostile, broken, no_ttl, connect_timeout, init_state, templates, fqdn, freed, state_file, tcp, several, workers]


def main():
    p = argparse.ArgumentParser()
    for name in "penstock", "dir":
        p.add_argument("--" + name)
    p.add_argument("--workers", type=int, default=0)
    p.add_argument("only", nargs="*")
    args = p.parse_args()
    origins = Origins([f"127.0.0.{i}" for i in range(1, 5)])
    for test in TESTS:
        if not args.only or test.__name__ in args.only:
            print("##", test.__name__, flush=True)
            test(args, origins)
    service.finish()


main()
