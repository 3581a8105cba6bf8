# SPDX-License-Identifier: BSD-2-Clause
"""What kept_backends.sh describes."""

from origin import Origin
from service import Service, check, finish

service = Service()
origin = Origin(service.args.back)
back = service.args.back


def ask(command):
    return " ".join(service.ask(command).split())


def backends():
    return service.ask("show backend").split()[2:]


def numbers():
    lines = [line.split(",") for line in service.ask("show stat").splitlines() if ",BACKEND," in line]
    return {line[0]: line[27] for line in lines}


def statuses():
    return {name: {service.get(f"/{name}/") for _ in range(12)} for name in
            ("fixed", "later", "one", "two", "gone", "shut")}


service.settle()
check("'be-unpublished' begins unpublished", service.get("/later/") == 503)
for name, defaults in ("one", "kept guid of-one"), ("two", "kept mode http"), ("gone", "lost"), ("shut", "kept"):
    check(f"{name} is added", ask(f"add backend {name} from {defaults}") == "New backend registered.")
    check("with a server", ask(f"add server {name}/s {back} weight 3 enabled") == "New server registered.")
    if name != "shut":
        ask(f"publish backend {name}")
check("they serve", statuses() == {"fixed": {200}, "later": {503}, "one": {200}, "two": {200}, "gone": {200}, "shut": {503}})
ask("publish backend later; unpublish backend fixed")
before = numbers()
for turn in range(2):
    service.reload()
    check(f"those of 'keep' are there: {backends()}",
          set(backends()) >= {"fixed", "later", "one", "two", "shut"} and "gone" not in backends())
    check("published or not as before", statuses() == {"fixed": {503}, "later": {200}, "one": {200}, "two": {200},
                                                       "gone": {503}, "shut": {503}})
    now = numbers()
    check(f"numbers of the file's are as before: {before}, {now}", all(now[n] == before[n] for n in ("fixed", "later")))
    check("servers are as before", service.stat("one", "s")["weight"] == "3")
    check("so is its name for everybody", "of-one backend one" in service.ask("show guid"))
    check("balancing is that of the defaults section", service.stat("two", "BACKEND")["algo"] == "leastconn")
check("a kept one can go", ask("unpublish backend two; disable server two/s; wait 1m srv-removable two/s; del server two/s; "
                               "del backend two").endswith("Server deleted. Backend deleted."))
service.reload()
check("and is gone over the next reload", "two" not in backends() and "one" in backends())
with open(service.cfg) as f:
    text = f.read()
service.reload(text + f"backend one from lost\n\tserver mine {back}\n")
check("the configuration has the last word", "mine" in service.ask("show servers state one"))
service.reload(text.replace("added-servers keep", "added-servers forget"))
check("without the word they are gone", "shut" not in backends() and "one" not in backends())
service.sound()
finish()
