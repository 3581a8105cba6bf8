# SPDX-License-Identifier: BSD-2-Clause
"""
Commands about certificates, seen from outside: every worker is asked which certificate it serves,
before and after a change, when a change was refused, when a worker was killed.
"""

import os
import re
import signal
import ssl
import time

from service import PATIENCE, Service, check, connect, finish, until
from sockets import any_server

WORKERS = 4

service = Service("certs")
certs = service.args.certs


def pem(name):
    with open(f"{certs}/{name}") as f:
        return f.read()


def der(name):
    return ssl.PEM_cert_to_DER_cert(pem(name))


def payload(command, text):
    return service.ask(f"{command} <<\n{text}" + ("" if text.endswith("\n") else "\n"))


def hello(where, name, client=None):
    """A connection with TLS."""
    context = any_server()
    if client:
        context.load_cert_chain(f"{certs}/{client}.crt", f"{certs}/{client}.key")
    return context.wrap_socket(connect(where), server_hostname=name)


def request(s, close=True):
    """The pid of the worker that answers."""
    end = "Connection: close\r\n" if close else ""
    s.sendall(f"GET / HTTP/1.1\r\nHost: x\r\n{end}\r\n".encode())
    got = b""
    while not (head := re.match(rb"(?s).*?content-length: *(\d+).*?\r\n\r\n(\d*)$", got, re.I)) or len(
        head.group(2)
    ) < int(head.group(1)):
        piece = s.recv(65536)
        if not piece:
            return 0
        got += piece
    return int(head.group(2))


def serves(name):
    """Which certificates each worker serves for that name: {pid: {DER}}, of all workers there
    are."""
    seen = {}
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        open_ones = []
        for _ in range(3 * WORKERS):  # at once, so that not always the same worker is first
            try:
                open_ones.append(hello(service.args.front, name))
            except OSError:
                pass
        for s in open_ones:
            try:
                certificate = s.getpeercert(binary_form=True)
                seen.setdefault(request(s), set()).add(certificate)
                s.close()
            except OSError:
                pass
        pids = set(service.workers())
        if len(pids) == WORKERS and pids <= set(seen):
            return {pid: seen[pid] for pid in pids}
    return {}


def all_serve(sentence, name, certificate):
    shown = serves(name)
    check(f"{sentence}: all {len(shown)} workers", len(shown) == WORKERS and
          all(one == {der(certificate)} for one in shown.values()))


def everywhere(sentence, command, words, wanted=True):
    said = [service.worker(i + 1, command) for i in range(WORKERS)]
    check(f"{sentence}: {command}", all((words in text) == wanted for text in said))


def says(sentence, said, words):
    if words not in said:
        print(f"        said: {said}")
    check(sentence, words in said)


def replace(file, text):
    says(f"set {os.path.basename(file)}", payload(f"set ssl cert {file}", text), "Transaction created")


KEPT = f"{certs}/kept.pem"
FIRST = f"{certs}/first.pem"


def kill_one():
    pid = service.workers()[0]
    os.kill(pid, signal.SIGKILL)
    until("a worker is replaced", lambda: pid not in service.workers() and len(service.workers()) == WORKERS)


def a_certificate_is_replaced():
    all_serve("as configured", "first.example", "first.crt")
    old = hello(service.args.front, "first.example")
    replace(KEPT, pem("second.pem"))
    everywhere("a transaction", "show ssl cert", f"*{KEPT}")
    all_serve("set is not committed", "kept.example", "first.crt")
    says("commit", service.ask(f"commit ssl cert {KEPT}"), "Success!")
    everywhere("no transaction", "show ssl cert", "*", False)
    all_serve("committed", "second.example", "second.crt")
    check("a connection from before goes on", request(old) in service.workers())
    kill_one()
    all_serve("replacements have it", "second.example", "second.crt")


def a_refused_commit_changes_nothing():
    replace(KEPT, pem("third.crt") + pem("first.key"))
    says("another's key", service.ask(f"commit ssl cert {KEPT}"), "does not belong to the certificate")
    all_serve("refused", "second.example", "second.crt")
    says("the right key", payload(f"set ssl cert {KEPT}.key", pem("third.key")), "Transaction updated")
    kill_one()
    says("a replacement goes on with the transaction", service.ask(f"commit ssl cert {KEPT}"), "Success!")
    all_serve("committed", "third.example", "third.crt")
    says("no transaction is left", service.ask(f"commit ssl cert {KEPT}"), "No ongoing transaction!")


def one_at_a_time():
    replace(KEPT, pem("first.pem"))
    says("another's", payload(f"set ssl cert {FIRST}", pem("second.pem")), "The ongoing transaction is about")
    says("abort another's", service.ask(f"abort ssl cert {FIRST}"), "The ongoing transaction is about")
    says("abort", service.ask(f"abort ssl cert {KEPT}"), "Transaction aborted")
    says("nothing to commit", service.ask(f"commit ssl cert {KEPT}"), "No ongoing transaction!")
    all_serve("aborted", "third.example", "third.crt")


def bad_payloads():
    first = pem("first.pem")
    says("no PEM", payload(f"set ssl cert {KEPT}", "rubbish\n"), "no certificate in it")
    says("cut in the middle", payload(f"set ssl cert {KEPT}", first[: len(first) // 3]), "Can't update")
    says("no such entry", payload("set ssl cert nowhere.pem", first), "not referenced by the configuration")
    says("bytes that are no text", payload(f"set ssl cert {KEPT}", "\x01\x7f" * 900 + "\n"), "Can't update")
    with connect(service.args.stats) as s:  # more than is taken: cut off or refused, never carried out
        try:
            s.sendall(f"set ssl cert {KEPT} <<\n".encode() + b"A" * 400000 + b"\n\n")
            s.recv(65536)
        except OSError:
            pass
    with connect(service.args.stats) as s:  # closed in the middle
        s.sendall(f"set ssl cert {KEPT} <<\n{first[:200]}".encode())
    everywhere("none of them began anything", "show ssl cert", "*", False)
    replace(KEPT, first + pem("first.crt") * 3)
    said = service.ask(f"commit ssl cert {KEPT}")
    says("a chain that repeats", said, "Success!")
    says("is not the certificate's", said, "Warning: the chain is not that of this certificate")
    all_serve("is served", "first.example", "first.crt")


def a_certificate_is_added():
    name = f"{certs}/added.pem"
    says("new", service.ask(f"new ssl cert {name}"), "New empty certificate store")
    says("new twice", service.ask(f"new ssl cert {name}"), "already exists!")
    says("not before it is committed", service.ask(f"add ssl crt-list {certs}/list {name}"), "Can't edit")
    replace(name, pem("third.pem"))
    says("commit", service.ask(f"commit ssl cert {name}"), "Success!")
    all_serve("in no list yet", "third.example", "first.crt")
    says("add", payload(f"add ssl crt-list {certs}/list", f"{name} [alpn http/1.1] third.example\n"), "Success!")
    everywhere("listed", f"show ssl crt-list {certs}/list", f"{name} [alpn http/1.1] third.example")
    all_serve("added", "third.example", "third.crt")
    kill_one()
    all_serve("replacements have it", "third.example", "third.crt")
    says("in use", service.ask(f"del ssl cert {name}"), "in use, can't be deleted!")
    old = hello(service.args.front, "third.example")
    says("del crt-list", service.ask(f"del ssl crt-list {certs}/list {name}"), "deleted in crtlist")
    says("del", service.ask(f"del ssl cert {name}"), "deleted!")
    everywhere("it is gone", "show ssl cert", name, False)
    all_serve("another is served", "third.example", "first.crt")
    check("a connection that has it goes on", request(old) in service.workers())


def lines_of_a_list():
    """Files of authorities come from memory alone, and are free when no line names them any
    more."""
    name, file, crt_list = f"{certs}/added.pem", f"{certs}/other.pem", f"{certs}/list"
    service.ask(f"new ssl cert {name}")
    replace(name, pem("third.pem"))
    says("commit", service.ask(f"commit ssl cert {name}"), "Success!")

    def add(names):
        return payload(f"add ssl crt-list {crt_list}", f"{name} [ca-file {file} verify optional alpn x] {names}\n")

    says("a file on the disk is not read", add("third.example"), f"unable to load {file}")
    everywhere("it is not in memory", "show ssl ca-file", file, False)
    says("new", service.ask(f"new ssl ca-file {file}"), "New CA file created")
    says("an empty one", add("third.example"), "no certificate in it")
    payload(f"set ssl ca-file {file}", pem("other.pem"))
    says("commit", service.ask(f"commit ssl ca-file {file}"), "Success!")
    says("one line", add("third.example"), "Success!")
    says("another of the same words", add("also.example"), "Success!")
    old = hello(service.args.front, "third.example")
    says("in use", service.ask(f"del ssl ca-file {file}"), "in use, can't be deleted!")
    says("the first goes", service.ask(f"del ssl crt-list {crt_list} {name}:2"), "deleted in crtlist")
    all_serve("the second is served", "also.example", "third.crt")
    says("a third of the same words", add("third.example"), "Success!")
    all_serve("the third is served", "third.example", "third.crt")
    says("the second goes", service.ask(f"del ssl crt-list {crt_list} {name}:3"), "deleted in crtlist")
    says("in use still", service.ask(f"del ssl ca-file {file}"), "in use, can't be deleted!")
    says("the third goes", service.ask(f"del ssl crt-list {crt_list} {name}:4"), "deleted in crtlist")
    says("not in use", service.ask(f"del ssl ca-file {file}"), "deleted!")
    everywhere("it is gone", "show ssl ca-file", file, False)
    check("a connection that has it goes on", request(old) in service.workers())
    for slashes in ("", "/", "//"):
        says("slashes behind a name", service.ask(f"show ssl crt-list {crt_list}{slashes}"), f"# {crt_list}\n")
    kill_one()
    all_serve("replacements have no line of it", "third.example", "first.crt")
    says("del", service.ask(f"del ssl cert {name}"), "deleted!")


def admitted(client):
    """Does the line that verifies let this client in? TLS 1.3 says so only with the first
    answer."""
    try:
        with hello(service.args.back, "first.example", client) as s:
            return request(s) != 0
    except OSError:
        return False


def authorities():
    check("a client of the authority", admitted("client"))
    check("one of another", not admitted("stranger"))
    file = f"{certs}/trusted.pem"
    says("set", payload(f"set ssl ca-file {file}", pem("other.pem")), "transaction created for CA")
    says("commit", service.ask(f"commit ssl ca-file {file}"), "Success!")
    everywhere("shown", f"show ssl ca-file {file}", "Subject: /CN=other")
    says("no authority", payload(f"set ssl ca-file {file}", "rubbish\n"), "Invalid payload")
    says("in use", service.ask(f"del ssl ca-file {file}"), "in use, can't be deleted!")
    for _ in range(3 * WORKERS):
        if admitted("client"):
            check("nobody of the old authority", False)
    says("one more", payload(f"add ssl ca-file {file}", pem("ca.pem")), "transaction created for CA")
    says("and another", payload(f"add ssl ca-file {file}", pem("first.crt")), "transaction updated for CA")
    says("rubbish adds nothing", payload(f"add ssl ca-file {file}", "rubbish\n"), "Invalid payload")
    says("all are there", service.ask("show ssl ca-file"), f"*{file} - 3 certificate(s)")
    says("commit", service.ask(f"commit ssl ca-file {file}"), "Success!")
    everywhere("shown", f"show ssl ca-file {file}", "Subject: /CN=ca")
    check("what was added counts", all(admitted("client") for _ in range(3 * WORKERS)))
    says("a set forgets what was added", payload(f"add ssl ca-file {file}", pem("first.crt")), "created for CA")
    says("back", payload(f"set ssl ca-file {file}", pem("ca.pem") + pem("other.pem")), "transaction updated")
    says("what was set alone", service.ask("show ssl ca-file"), f"*{file} - 2 certificate(s)")
    says("commit", service.ask(f"commit ssl ca-file {file}"), "Success!")


def revocations():
    file = f"{certs}/revoked.crl"
    check("a client that is not revoked", admitted("client"))
    says("set", payload(f"set ssl crl-file {file}", pem("client.crl")), "transaction created for CRL")
    check("set is not committed", admitted("client"))
    says("commit", service.ask(f"commit ssl crl-file {file}"), "Success!")
    everywhere("shown", f"show ssl crl-file {file}", "Revoked Certificates:")
    for _ in range(3 * WORKERS):
        if admitted("client"):
            check("it is revoked in all workers", False)
    kill_one()
    check("and in a replacement", not any(admitted("client") for _ in range(3 * WORKERS)))


def readers():
    said = service.ask(f"dump ssl cert {KEPT}")
    check("dump has the chain, and no key", said.count("BEGIN CERTIFICATE") == 4 and "PRIVATE" not in said)
    says("providers", service.ask("show ssl providers"), "- default")


for step in (a_certificate_is_replaced, a_refused_commit_changes_nothing, one_at_a_time, bad_payloads,
             a_certificate_is_added, lines_of_a_list, authorities, revocations, readers):
    print(f"# {step.__name__}", flush=True)
    step()
finish()
