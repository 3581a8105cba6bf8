# SPDX-License-Identifier: BSD-2-Clause
"""What kept_named.sh describes."""

import subprocess

from origin import Origin
from service import Service, check, finish

service = Service()
back, cfg = service.args.back, service.cfg
origin = Origin(back)
good = open(cfg).read()


def is_added(path, words="enabled"):
    said = service.ask(f"add server {path} {back} {words}").strip()
    check(f"{path} is added: {said}", said == "New server registered.")


def refused(line, error, help):
    """A reload with this line in the backend fails; the answer has error and help."""
    text = good.replace("# rules", line)
    with open(cfg, "w") as f:
        f.write(text)
    before = service.workers()
    said = service.parent("reload")
    number = next(n for n, there in enumerate(text.splitlines(), 1) if line in there)
    told = [sentence for sentence in ("Success=0", f"{cfg}:{number}:", "error: " + error, help) if sentence not in said]
    check(f"a reload with '{line}' is refused: {error}; {help}", not told)
    if told:
        print("lacks", told, "\n" + said)
    check("who served before goes on", service.workers() == before and service.get("/keeps/") == 200)


service.settle()
is_added("keeps/added")
is_added("keeps/checked", "check check-proto h1 port 80")
is_added("forgets/other")
said = service.ask("add backend extra from spare; publish backend extra").strip()
check(f"a backend is added: {said}", "New backend registered." in said)
is_added("extra/one")

use = "use-server added if { path /keeps/added }"
server = "files can only name what stands in them: write 'server {}' into '{}', or take its name out here"
backend = "files can only name what stands in them: write 'backend extra', or take its name out here"
refused(use, "there is no server 'added' in 'keeps'", "a command has added this server, and " + server.format("added", "keeps"))
refused("acl up srv_is_up(added)", "fetch 'srv_is_up': there is no server 'added' in 'keeps'", server.format("added", "keeps"))
refused("acl any srv_sess_rate(forgets/other) gt 0", "fetch 'srv_sess_rate': there is no server 'other' in 'forgets'",
        server.format("other", "forgets"))
refused("acl one srv_conn(extra/one) gt 0", "fetch 'srv_conn': there is no backend 'extra'", backend)
refused("acl some nbsrv(extra) gt 0", "fetch 'nbsrv': there is no backend 'extra'", backend)
refused("use-server nobody if TRUE", "there is no server 'nobody' in 'keeps'", "")
refused(f"server follows {back} track checked", "server 'follows' tracks 'checked', but 'keeps' has no such server",
        server.format("checked", "keeps"))
with open(cfg, "w") as f:
    f.write(good.replace("# rules", use))
said = subprocess.run([f"/proc/{service.pid}/exe", "-c", "-f", cfg], capture_output=True, text=True).stderr
check("a check by hand says the same, and knows of no command", "there is no server 'added' in 'keeps'" in said and
      "a command" not in said)

service.reload(good.replace("# rules", use + f"\n\tserver added {back} weight 7"))
check("with a line for it the rule finds it", service.get("/keeps/added") == 200 and
      int(service.stat("keeps", "added")["stot"]) > 0 and service.servers("keeps")["added"][8] == "7")
check("what is kept and not named is there", "checked" in service.servers("keeps") and "one" in service.servers("extra"))

service.reload(good)
is_added("keeps/first", "check check-proto h1 port 80")
service.reload()
is_added("keeps/second", "track first")
is_added("keeps/third", "")
service.reload()
check("all of them are kept", {"first", "second", "third"} <= set(service.servers("keeps")))
service.reload(good.replace("option httpchk\n", "\n"))
check("those that do not fit, and who tracks them, are left out", set(service.servers("keeps")) == {"fixed", "third"})
check("with a warning each", service.logged("server 'keeps/first', which a command had added, is left out: ") == 1 and
      service.logged("server 'keeps/second', which a command had added, is left out: it tracks 'keeps/first'") == 1)
service.sound()
finish()
