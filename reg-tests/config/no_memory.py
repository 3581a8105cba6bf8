# SPDX-License-Identifier: BSD-2-Clause
"""
Run by no_memory.sh: allocations of `penstock -c` fail, one a run. STEP, from the environment, says
how far they are apart: 1 is the long form.
"""

import os
import subprocess
import sys

from service import check, finish

program, preload, folder = sys.argv[1:]
step = int(os.environ.get("STEP", "0"))
log = folder + "/acted"

CONFIG = """
global
	stats socket {folder}/stats.sock level admin
	log 127.0.0.1:514 local0
	log-tag no_memory
	maxconn 100
	setenv NAME value
	h1-case-adjust content-length Content-Length
	h1-case-adjust-file {folder}/case
	server-state-file {folder}/state
	{lua}
	{crt_base}
userlist people
	group g users u
	user u insecure-password secret
resolvers names
	nameserver one 127.0.0.1:53
	hold valid 10s
peers ring
	peer me 127.0.0.1:7
	peer you 127.0.0.1:8
	table shared type string len 32 size 10 store gpc0,conn_rate(10s)
http-errors pages
	errorfile 503 {folder}/503
	errorfile 404 {folder}/503
defaults
	mode http
	log global
	timeout connect 1s
	timeout client 1s
	timeout server 1s
	load-server-state-from-file global
	compression algo gzip
	compression type text/plain
	option httplog
	option h1-case-adjust-bogus-server
	errorfile 502 {folder}/503
frontend f
	bind 127.0.0.1:1-3
	{bind_tls}
	id 7
	log-format "%ci:%cp [%tr] %ft %b/%s %ST %B %{{+Q}}r"
	unique-id-format %[uuid()]
	unique-id-header X-Unique
	acl listed hdr(x) -i -f {folder}/acl -- more
	acl near src -f {folder}/nets
	http-request set-header y %[path,map_beg({folder}/map,none)]
	http-request set-var(txn.a,ifexists) req.cook(a),map_reg({folder}/map)
	http-request auth realm r if {{ path_beg /p }} !{{ http_auth(people) }}
	http-request deny deny_status 429 if listed || near || {{ path_reg ^/a[0-9]+ }}
	http-request return status 200 content-type text/plain lf-string "%[src] here" if {{ path /r }}
	http-request redirect code 301 location https://%[hdr(host)]%[path] if {{ path /s }}
	http-request replace-path (.*)/(.*) \\2/\\1 if {{ path /t }}
	http-response add-header z "%[res.hdr(a)]" if {{ status 200:299 }}
	http-request capture req.hdr(a) len 10
	tcp-request connection track-sc0 src table b
	use_backend %[path,field(2,/),lower] if {{ path_beg /by/ }}
	use_backend b
backend b
	balance hdr(host)
	hash-type consistent
	errorfiles pages
	cookie SRV insert indirect nocache
	stick-table type ip size 10 expire 1m peers ring store http_req_rate(10s),gpt0
	stick on src
	option httpchk GET / HTTP/1.1
	http-check send hdr Host a
	http-check expect status 200-299
	retry-on all-retryable-errors
	server s1 127.0.0.1:2 check weight 10 cookie s1 maxconn 10
	server s2 127.0.0.1:3 backup observe layer7 on-error mark-down
	server s3 name.invalid:80 resolvers names init-addr none
	server-template t 3 name.invalid:80 resolvers names init-addr none
	{server_tls}
listen raw
	mode tcp
	bind 127.0.0.1:9
	option tcplog
	option tcp-check
	tcp-check connect
	tcp-check send-binary 3132
	tcp-check expect rstring ^a
	tcp-request inspect-delay 1s
	tcp-request content accept if {{ req.len gt 0 }}
	server s4 127.0.0.1:4 send-proxy-v2 source 127.0.0.2
"""


def file(name, text):
    with open(f"{folder}/{name}", "w", encoding="utf-8") as f:
        f.write(text)


def read(cfg, n):
    """The exit status and what was said with the n-th allocation failing; None: there are not so
    many."""
    open(log, "w", encoding="utf-8").close()
    env = {**os.environ, "LD_PRELOAD": preload, "SHIM": f"memory=ENOMEM@{n}-{n}", "SHIM_LOG": log, "SHIM_OWN": "1"}
    p = subprocess.run([program, "-c", "-f", cfg], env=env, capture_output=True, timeout=60, check=False)
    said = (p.stdout + p.stderr).decode(errors="replace")
    return (p.returncode, said) if os.path.getsize(log) else None


def walk(what, cfg, valid, by):
    n, runs, killed, silent, quiet = 1, 0, [], [], []
    while answer := read(cfg, n):
        runs += 1
        status, said = answer
        if status not in (0, 1) or "Sanitizer" in said or "runtime error" in said:
            killed.append((n, status))
            print(said[:3000])
        elif status == 1 and not said.strip():
            silent.append(n)
        elif not valid and status != 1:
            quiet.append(n)
        n += by
    print(f"{what}: {runs} runs, the last one failed allocation {n - by}")
    check(f"{what}: there are many allocations", runs > 10)
    check(f"{what}: a failure never ends it by a signal {killed[:9]}", not killed)
    check(f"{what}: what is refused is told {silent[:9]}", not silent)
    check(f"{what}: what is wrong is never called valid {quiet[:9]}", not quiet)


tls = os.path.exists(folder + "/certs/site.pem")
file("acl", "one\ntwo\n" * 10)
file("nets", "10.0.0.0/8\n192.168.0.0/16\n")
file("map", "a b\nc d\n")
file("case", "etag ETag\ndate Date\n")
file("503", "HTTP/1.0 503 Gone\r\nContent-Length: 5\r\n\r\nsorry")
file("state", "1\n# be_id be_name srv_id srv_name\n")
file("x.lua", 'core.register_fetches("f", function(txn) return "x" end)\ncore.register_task(function() end)\n')
file("good", CONFIG.format(
    folder=folder,
    lua=f"lua-load {folder}/x.lua" if os.environ["HAVE_LUA"] else "",
    crt_base=f"crt-base {folder}/certs" if tls else "",
    bind_tls="bind 127.0.0.1:4 ssl crt site.pem crt other.pem alpn h2,http/1.1 ca-file "
             f"{folder}/certs/ca.pem verify optional" if tls else "",
    server_tls=f"server s5 127.0.0.1:5 ssl verify required ca-file {folder}/certs/ca.pem sni str(a) check" if tls else "",
))
plain = subprocess.run([program, "-c", "-f", folder + "/good"], capture_output=True, check=False)
print((plain.stdout + plain.stderr).decode())
check("the good file is good", plain.returncode == 0)
walk("a good file", folder + "/good", True, step or 13)

# The wrong lines stand at the end of their files: what is not read to its end looks right.
for name, text in ("map", "a b\nc d\n" * 50 + "e\0\n"), ("nets", "10.0.0.0/8\n" * 50 + "300.0.0.0\n"):
    file("wrong." + name, text)
file("wrong", f"""
defaults
	mode http
	timeout connect 1s
	timeout client 1s
	timeout server 1s
frontend f
	bind 127.0.0.1:1
	http-request set-header y %[path,map({folder}/wrong.map)]
	http-request deny if {{ src -f {folder}/wrong.nets }}
""")
walk("files of patterns that are wrong", folder + "/wrong", False, step or 7)
finish()
