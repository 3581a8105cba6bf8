# SPDX-License-Identifier: BSD-2-Clause
"""What lists.sh describes."""

from service import Service, check, finish, until

service = Service()
back = service.args.back


def scripts():
    """Those of both workers: the one for all, and the worker's own."""
    return [(worker, kind) for worker in (1, 2) for kind in ("all", "own")]


def says(what, sentence):
    """All scripts, as soon as their workers have heard of the change."""
    for worker, kind in scripts():
        until(f"worker {worker}, {kind} {what}: {sentence}",
              lambda: service.worker(worker, f"{kind} {what}").strip() == sentence)


def once(what, sentence):
    """The same of what cannot be asked twice."""
    for worker, kind in scripts():
        said = service.worker(worker, f"{kind} {what}").strip()
        check(f"worker {worker}, {kind} {what}: {said}", said == sentence)


def tell(command, sentence):
    said = " ".join(service.ask(command).split())
    check(f"{command}: {said}", said.endswith(sentence))


service.settle()
says("list backends", "be free")
says("list proxies", "be fe free")
says("list frontends", "fe")
says("list backends be", "s1 s2 s3")
says("get more", "nil")

tell("add backend more from web", "New backend registered.")
says("list backends", "be free more")
says("list proxies", "be fe free more")
says("list frontends", "fe")
says("get more", "more")
says("list backends more", "")
says("same be", "true true mine")
says("same more", "true true nil")
tell(f"add server more/one {back} enabled; add server be/s4 {back}", "New server registered.")
says("list backends more", "one")
says("list backends be", "s1 s2 s3 s4")
says("get more one", "one")
tell("set server be/s4 name last", "")
says("list backends be", "last s1 s2 s3")
says("get be s4", "nil")
says("get be last", "last")

service.ask("disable server more/one; wait 1m srv-stopped more/one")
once("hold more one", "held")
once("hold more", "held")
says("held more/one", "one")
says("walk_held more/*", "one")

# Walks in the middle of which things come and go.
once("begin servers backends be", "s1")
once("begin proxies proxies", "fe")
tell("wait 1m srv-removable be/s1; del server be/s1; del server be/s2", "Server deleted.")
tell(f"add server be/late {back}", "New server registered.")
says("list backends be", "last late s3")
once("step servers", "s3")
once("step servers", "last")
once("step proxies", "be")
tell("unpublish backend free; wait 1m be-removable free; del backend free", "Backend deleted.")
says("list backends", "be more")
once("step proxies", "more")
tell("add backend behind from web", "New backend registered.")
says("list backends", "be behind more")
once("step proxies", "behind")
once("step servers", "late")
once("step servers", "end")
once("step proxies", "end")

once("begin gone backends more", "one")
tell("del server more/one; wait 1m be-removable more; del backend more", "Backend deleted.")
for turn in range(4):  # in the memory of the one that has gone
    tell(f"add backend more from web; add server more/other {back}", "New server registered.")
    says("list backends more", "other")
    once("step gone" if turn == 0 else "get more other", "end" if turn == 0 else "other")
    for what in "held more/one", "held more", "find more/* one", "walk_held more/*":
        gone = "server" if what == "held more/one" else "backend"
        says(what, f"this object is over: the {gone} has gone")
    tell("del server more/other; wait 1m be-removable more; del backend more", "Backend deleted.")
    says("get more", "nil")
until("their memory is given back", lambda: service.ask("debug dev slots").split()[-1] == "0")
service.sound()
finish()
