# SPDX-License-Identifier: BSD-2-Clause
"""What kept_unfit.sh describes."""

from origin import Origin
from service import Service, check, finish

service = Service(lambda parser: parser.add_argument("ca"))
back, cfg = service.args.back, service.cfg
origin = Origin(back)
good = open(cfg).read()


def is_added(path, address, words=""):
    said = service.ask(f"add server {path} {address} {words}").strip()
    check(f"{path} is added: {said}", said == "New server registered.")


service.settle()
is_added("keeps/name", "host.invalid:8099")
is_added("keeps/any", back, "enabled")
is_added("keeps/second", back, "enabled")
number = service.servers("keeps")["any"][2]
service.reload(good)
check("one without an address waits for it still", service.servers("keeps")["name"][4] == "-")
host, port = back.rsplit(":", 1)
service.ask(f"set server keeps/name addr {host} port {port}; enable server keeps/name")
service.reload(good)
check("the one that it was given it keeps", service.servers("keeps")["name"][4] == host)
service.ask("disable server keeps/any; disable server keeps/second")
check("and serves", service.get("/keeps/") == 200)
service.ask("enable server keeps/any; enable server keeps/second")

mem = "/nowhere/mem.pem"
service.ask(f"new ssl ca-file {mem}")
service.ask(f"set ssl ca-file {mem} <<\n{open(service.args.ca).read()}\n")
said = service.ask(f"commit ssl ca-file {mem}")
check("authorities come by a command: " + said.splitlines()[-1], "Success" in said)
unfit = {"keeps/own": "id 9", "keeps/tracks": "track fixed", "keeps/from": "from other weight 9",
         "keeps/authority": f"ssl verify required ca-file {mem}", "modes/h2": "proto h2",
         "modes/checked": "check check-proto h1 port 80 enabled"}
for path, words in unfit.items():
    is_added(path, back, words)
service.reload(good)
mem_lost = not service.servers("keeps").get("authority")
check("what was loaded by a command alone goes first", mem_lost)
check("all others are there", all(path.split("/")[1] in service.servers(path.split("/")[0])
                                  for path in unfit if path != "keeps/authority"))
service.reload(good.replace(f"server fixed {back} check disabled", f"server nine {back} id 9")
       .replace(f"server other {back} disabled", f"server drei {back} id {number}")
       .replace("option httpchk\n", "mode tcp\n"))
check("those that fit are there, and no others", set(service.servers("keeps")) == {"nine", "drei", "name", "any", "second"})
check("those of the other backend as well", set(service.servers("modes")) == {"fixed"})
check("a number that the file has now is changed for another", service.servers("keeps")["any"][2] not in ("9", number))
for path in unfit:
    check(f"{path} is told of", service.logged(f"server '{path}', which a command had added, is left out: ") == 1)
is_added("keeps/more", back, "enabled")
service.reload(good)
check("what was left out does not come back", set(service.servers("keeps")) ==
      {"fixed", "other", "name", "any", "second", "more"})
check("it serves", service.get("/keeps/") == 200)
service.sound()
finish()
