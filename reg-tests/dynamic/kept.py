# SPDX-License-Identifier: BSD-2-Clause
"""What kept.sh describes."""

from origin import Origin
from service import Service, check, finish

service = Service()
origin = Origin(service.args.back)
back = service.args.back


service.settle()
for backend in "keeps", "forgets":
    for n in 1, 2, 3:
        said = service.ask(f"add server {backend}/n{n} {back} weight 5 maxconn 7 id {40 + n}")
        check("added", said.strip() == "New server registered.")
    service.ask(f"enable server {backend}/n1; enable server {backend}/n2; set weight {backend}/n2 9")
    service.ask(f"disable server {backend}/n2; set server {backend}/n3 addr 127.0.0.9")
    service.ask(f"add server {backend}/old {back} weight 5 id 50; set server {backend}/old name renamed; "
                f"set weight {backend}/renamed 3")
    check("it serves", service.get(f"/{backend}/") == 200)
before = service.servers("keeps")
for turn in range(2):
    service.reload()
    now = service.servers("keeps")
    check("the same servers are there", set(now) == set(before))
    for name in before:
        a, b = before[name], now.get(name, [])
        wanted, found = a[2:9] + a[18:19], b[2:9] + b[18:19]
        # Who is disabled by its line has one bit more.
        wanted[4], found[4] = int(wanted[4]) & 3, int(found[4]) & 3
        check(f"{name} is as before", wanted == found)
        if wanted != found:
            print("       ", wanted, found)
    check("it serves", service.get("/keeps/") == 200)
    check("the others are forgotten", set(service.servers("forgets")) == {"fixed"})
check("a kept one can go", service.ask("del server keeps/n2").strip() == "Server deleted.")
service.reload()
check("and is gone over the next reload", set(service.servers("keeps")) == {"fixed", "n1", "n3", "renamed"})
with open(service.cfg) as f:
    text = f.read()
service.reload(text.replace("added-servers keep\n", f"added-servers keep\n\tserver n1 {back} weight 3\n"))
check("the configuration has the last word", service.servers("keeps")["n1"][8] == "3")
service.reload(text.replace("added-servers keep", "added-servers forget"))
check("without the word they are gone", set(service.servers("keeps")) == {"fixed"})
service.sound()
finish()
