# SPDX-License-Identifier: BSD-2-Clause
"""The HTTP client looks names up by the words of a section "resolvers"; see client.sh."""
import argparse

import nameserver
import service
from nameserver import A, AAAA
from names_world import Client, Origins
from service import check

TEXT = """global
	httpclient.resolvers.id dns
	httpclient.retries 0
resolvers dns
	{servers}
	timeout retry 150ms
	resolve_retries 2
	hold valid {valid}
	accepted_payload_size {payload}
frontend f
	bind {front}
	http-request return status 200
"""


def main():
    p = argparse.ArgumentParser()
    for name in "penstock", "dir":
        p.add_argument("--" + name)
    args = p.parse_args()
    origins = Origins(["127.0.0.2", "127.0.0.3"])
    port = origins.port
    ns = nameserver.NameServer({"a.test": ["127.0.0.2"], "b.test": ["127.0.0.3"], "silent.test": nameserver.SILENT,
                                "refused.test": nameserver.REFUSED, "cut.test": ["127.0.0.2"],
                                "many.test": ["127.0.0.2"] + [f"127.1.0.{i}" for i in range(40)]},
                               port=0, cut={"cut.test"})
    dead = service.free_ports(1)[0]

    w = Client(args, TEXT, valid="1h", payload=512,
               servers=f"nameserver gone 127.0.0.1:{dead}\n\tnameserver live tcp@127.0.0.1:{ns.port}")
    check("a name, by a name server over TCP behind a dead one", w.get("a.test", port)[0] == "127.0.0.2")
    check("it was asked over TCP alone", ns.by_tcp == ns.asked and ns.asked["a.test", A] == ns.asked["a.test", AAAA] == 1)
    live, gone = w.counts()["live"], w.counts()["gone"]
    check(f"its counters grow: {live}", live["sent"] == 2 and live["valid"] == 1 and live["any_err"] == 1)
    check(f"and those of the dead one: {gone}", gone["sent"] == 2 and gone["valid"] == 0)
    check("the answer is used again for 'hold valid'", w.get("A.test.", port)[0] == "127.0.0.2" and w.counts()["live"] == live)
    w.end()

    ns.asked.clear(), ns.by_tcp.clear()
    w = Client(args, TEXT, valid="0", payload=512, servers=f"nameserver live 127.0.0.1:{ns.port}")
    check("a name over UDP", w.get("b.test", port)[0] == "127.0.0.3")
    ns.zone["b.test"] = ["127.0.0.2"]
    check("with 'hold valid 0' each asks anew", w.get("B.test", port)[0] == "127.0.0.2")
    check("an answer that does not fit comes over TCP", w.get("cut.test", port)[0] == "127.0.0.2")
    check("which is asked for once, and counted", ns.by_tcp["cut.test", A] == 1 and w.counts()["live"]["truncated"] >= 1)
    said, ms = w.get("nx.test", port)
    check(f"that there is no such name is an answer: {said} in {ms:.0f} ms",
          said == "503" and ns.asked["nx.test", A] == ns.asked["nx.test", AAAA] == 1)
    said, ms = w.get("silent.test", port)
    check(f"silence is waited for as often as 'resolve_retries' says: {said} in {ms:.0f} ms",
          said == "503" and ms >= 290 and ns.asked["silent.test", A] == ns.asked["silent.test", AAAA] == 2)
    check("and counted", w.counts()["live"]["timeout"] == 4)
    said, ms = w.get("refused.test", port)
    check("refusal is asked again", said == "503" and ns.asked["refused.test", A] == 2)
    check("and counted, too", w.counts()["live"]["refused"] == 4)
    check("an answer longer than 'accepted_payload_size' is none", w.get("many.test", port)[0] == "503")
    check("as its counter says", w.counts()["live"]["too_big"] == 2)
    w.end()

    w = Client(args, TEXT, valid="0", payload=4096, servers=f"nameserver live 127.0.0.1:{ns.port}")
    check("it is one where that is larger", w.get("many.test", port)[0] == "127.0.0.2")
    w.end()
    service.finish()


main()
