# SPDX-License-Identifier: BSD-2-Clause
"""The HTTP configurations of examples/ do what each one promises: see examples_lib.py."""
import base64
import socket
import sys
import threading
import time

sys.dont_write_bytecode = True
from examples_lib import ask, check, cli, run, until


def virtual_hosts():
    at = "192.0.2.10"
    host = lambda name, path="/": ask(at, path, headers={"Host": name})
    check("the shop", host("SHOP.example.org")[2].startswith("shop"))
    check("the blog", host("www.blog.example.org")[2].startswith("blog1"))
    status, fields, _ = host("shop.example.org", "/old/list?x=1")
    check("what has moved", (status, fields["location"]) == (301, "/new/old/list?x=1"))
    first = host("x", "/images/a.png")[2].split("\n")[0]
    check("a picture always comes from the same server", first.startswith("images") and
          all(host("x", "/images/a.png")[2].startswith(first) for _ in range(4)))
    status, _, body = host("nobody.example.org")
    check("an unknown site", (status, body) == (404, "There is no such site here.\n"))
    check("the server learns who asked",
          "x-forwarded-for: 192.0.2.10" in host("shop.example.org")[2].lower())


def maintenance_page():
    at = "192.0.2.11"
    check("serves", ask(at)[2].startswith("site"))
    cli("disable server site/site1")
    check("one server is enough", ask(at)[2].startswith("site2"))
    cli("disable server site/site2")
    status, fields, body = ask(at, headers={"Accept": "text/html"})
    check("people get the page", status == 503 and "We are working" in body and
          fields["retry-after"] == "60" and fields["content-type"] == "text/html")
    check("machines get a status", ask(at, headers={"Accept": "*/*"})[0] == 503)
    cli("enable server site/site1")
    until("it is back", lambda: ask(at)[2].startswith("site1"))


def sticky_sessions():
    at = "192.0.2.12"
    for _ in range(4):
        _, fields, body = ask(at)
        name, cookie = body.split("\n")[0], fields["set-cookie"].split(";")[0]
        check(f"{name} again, without its seeing the cookie", all(
            answer[2].startswith(name) and "SERVER" not in answer[2]
            for answer in [ask(at, headers={"Cookie": cookie}) for _ in range(3)]))
    check("two clients were on different servers", ask(at)[2][:4] != ask(at)[2][:4])


def application_sessions():
    at = "192.0.2.26"
    where = {}
    for session in "abcdefgh":
        _, fields, body = ask(at, "/login?" + session)
        where[session] = body.split("\n")[0]
        check(f"{session}: the application's cookie alone", fields["set-cookie"] == f"JSESSIONID={session}; Path=/")
    check("sessions are on both servers", set(where.values()) == {"app1", "app2"})
    check("each comes back to its own, by cookie", all(
        ask(at, headers={"Cookie": f"x=y; JSESSIONID={s}"})[2].startswith(name + "\n")
        for _ in range(2) for s, name in where.items()))
    check("and by the query", all(ask(at, f"/?jsessionid={s}")[2].startswith(name + "\n")
                                  for s, name in where.items()))
    cli("set server app/app1 state drain")
    check("a server that is drained keeps its sessions, and gets no others", all(
        ask(at, headers={"Cookie": f"JSESSIONID={s}"})[2].startswith(name) for s, name in where.items()) and
        all(ask(at)[2].startswith("app2") for _ in range(4)))
    for name in "app1", "app2":
        cli(f"disable server app/{name}")
    check("then somebody is sorry, and not learnt", ask(at, "/login?z")[2].startswith("sorry") and
          "key=z " not in cli("show table app"))
    cli("enable server app/app1")
    until("app1 is back", lambda: ask(at, "/login?new")[2].startswith("app1"))
    check("who was with app2 is with app1 now",
          all(ask(at, headers={"Cookie": f"JSESSIONID={s}"})[2].startswith("app1") for s in where))


def websocket():
    at = "192.0.2.13"
    check("pages", ask(at)[2].startswith("pages1"))
    with socket.create_connection((at, 80), 30) as s:
        s.sendall(b"GET /chat HTTP/1.1\r\nHost: chat\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                  b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
        stream = s.makefile("rwb", buffering=0)
        status = stream.readline()
        head = b""
        while (line := stream.readline()) != b"\r\n":
            head += line.lower()
        check("the protocol is switched", b" 101 " in status and b"upgrade: websocket" in head and
              b"sec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo=" in head)
        stream.write(b"one")
        answer = b""
        while not answer.endswith(b":one"):
            answer += stream.read(100)
        check("there and back", answer in (b"socket1:one", b"socket2:one"))


def basic_auth():
    at = "192.0.2.14"
    token = lambda text: {"Authorization": "Basic " + base64.b64encode(text.encode()).decode()}
    anna, bert = token("anna:Hello world!"), token("bert:hello")
    check("everybody reads", ask(at, headers={"X-User": "forged"})[0] == 200)
    check("nobody forges a name", "forged" not in ask(at, headers={"X-User": "forged"})[2])
    status, fields, _ = ask(at, method="POST", body=b"x")
    check("changing needs a password", status == 401 and "Editors" in fields["www-authenticate"])
    check("a wrong one does not do",
          ask(at, method="POST", body=b"x", headers=token("bert:hallo"))[0] == 401)
    status, _, body = ask(at, method="POST", body=b"x", headers=bert)
    check("bert may change", status == 200 and "x-user: bert" in body.lower() and
          "authorization" not in body.lower())
    check("bert is no administrator", ask(at, "/admin", headers=bert)[0] == 401)
    check("anna is", ask(at, "/admin", headers=anna)[0] == 200)


def security_headers():
    at = "192.0.2.15"
    status, fields, body = ask(at)
    check("fields for browsers", status == 200 and fields["x-content-type-options"] == "nosniff" and
          "default-src" in fields["content-security-policy"])
    check("fields of the server are gone", "server" not in fields and "x-powered-by" not in fields)
    check("the server learns the scheme", "x-forwarded-proto: http" in body.lower())
    status, fields, _ = ask(at, method="TRACE")
    check("a method that is not served", status == 405 and fields["x-frame-options"] == "DENY")
    check("files that nobody should see", ask(at, "/a/.git/config")[0] == 403)
    status = []
    thread = threading.Thread(target=lambda: status.append(ask(at, "/wp-login.php")[0]))
    started = time.monotonic()
    thread.start()
    check("others are served meanwhile", ask(at)[0] == 200)
    thread.join()
    check("the tarpit takes its time", status == [429] and time.monotonic() - started > 9)


run("http-", (("virtual-hosts", virtual_hosts), ("maintenance-page", maintenance_page),
              ("sticky-sessions", sticky_sessions), ("websocket", websocket),
              ("application-sessions", application_sessions),
              ("basic-auth", basic_auth), ("security-headers", security_headers)))
