# SPDX-License-Identifier: BSD-2-Clause
"""What objects.sh describes."""

from service import Service, check, finish, until

service = Service()
back = service.args.back
ALL, OVER = "11 answer, 0 are over", "0 answer, 11 are over"
PROXY, PROXY_OVER = "7 answer, 0 are over", "0 answer, 7 are over"


def says(what, sentence):
    answer = service.ask(what).strip()
    check(f"{what}: {sentence}", answer == sentence)
    if answer != sentence:
        print("        " + answer)


def go(path):
    answer = " ".join(service.ask(f"disable server {path}; wait 1m srv-removable {path}; del server {path}").split())
    check(f"{path} goes", answer.endswith("Server deleted."))


says("object file file", ALL)
service.ask("set server be/file name renamed")
says("called file file", "renamed")
says("object file file", ALL)
for turn in range(8):
    name = f"n{turn}"
    service.ask(f"add server be/{name} {back}; enable server be/{name}")
    until("a script has its object", lambda: service.ask(f"object held {name}").strip() == ALL)
    service.ask(f"disable server be/{name}; set server be/{name} name other{turn}")
    says(f"called held {name}", f"other{turn}")
    go(f"be/other{turn}")
    for before in range(turn + 1):
        says(f"object held n{before}", OVER)
until("their memory is given back", lambda: service.ask("debug dev slots").split()[-1] == "0")
service.ask(f"add server be/last {back}; enable server be/last")
until("the next one has an object of its own", lambda: service.ask("object held last").strip() == ALL)
for turn in range(8):
    says(f"object held n{turn}", OVER)
go("be/last")
go("be/renamed")
says("object file file", OVER)

says("object backend be", PROXY)
for turn in range(4):
    name = f"b{turn}"
    service.ask(f"add backend {name} from web; add server {name}/s {back} enabled")
    service.ask(f"disable server {name}/s; enable server {name}/s")
    until("a script has its object", lambda: service.ask(f"object proxy {name}").strip() == PROXY)
    go(f"{name}/s")
    check(f"{name} goes", service.ask(f"del backend {name}").strip() == "Backend deleted.")
    for before in range(turn + 1):
        says(f"object proxy b{before}", PROXY_OVER)
until("their memory is given back", lambda: service.ask("debug dev slots").split()[-1] == "0")
says("object proxy b0", PROXY_OVER)
says("object backend free", PROXY)
check("one of the file goes", "Backend deleted." in service.ask("unpublish backend free; del backend free"))
says("object backend free", PROXY_OVER)
finish()
