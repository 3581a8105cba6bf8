# SPDX-License-Identifier: BSD-2-Clause
"""The TLS configurations of examples/ do what each one promises: see examples_lib.py."""
import socket
import ssl
import subprocess
import sys

sys.dont_write_bytecode = True
from examples_lib import EXAMPLES, PROGRAM, WORK, Example, Origin, ask, check, run

CERTS = WORK + "/certs"


def server_context(name):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{CERTS}/{name}.crt", f"{CERTS}/{name}.key")
    return context


class TlsOrigin(Origin):
    """An origin behind TLS, and behind a PROXY header where one is sent."""

    def __init__(self, address, name, certificate, header):
        self.context, self.header, self.asked = server_context(certificate), header, None
        self.context.sni_callback = lambda _socket, server_name, _context: \
            setattr(self, "asked", server_name)
        super().__init__(address, name)

    def finish_request(self, request, client_address):
        if self.header:
            head = request.recv(16, socket.MSG_WAITALL)
            request.recv(head[14] * 256 + head[15], socket.MSG_WAITALL)
        with self.context.wrap_socket(request, server_side=True) as wrapped:
            super().finish_request(wrapped, client_address)


class TlsExample(Example):
    CERTIFICATES = {"web1": "site", "shop1": "shop", "shop2": "shop", "mail1": "mail"}

    def __init__(self, name):
        super().__init__(name)
        with open(f"{EXAMPLES}/{name}.cfg", encoding="utf-8") as f:
            text = f.read().replace("/etc/penstock/tls", CERTS)
        self.path = f"{WORK}/{name}.cfg"
        with open(self.path, "w", encoding="utf-8") as f:
            f.write(text)
        said = subprocess.run([PROGRAM, "-c", "-V", "-dW", "-f", self.path], capture_output=True,
                              text=True, check=False)
        check(f"{name} is valid, without a warning", said.returncode == 0 and
              said.stdout + said.stderr == "Configuration file is valid\n")

    def origin(self, address, name):
        global origins
        origins = self.origins
        if self.name == "tls-passthrough-sni":
            return TlsOrigin(address, name, self.CERTIFICATES[name], True)
        if self.name == "tls-reencrypt":
            return TlsOrigin(address, name, "site.internal", False)
        return Origin(address, name)


origins = {}


def whole(answer):
    """Has all of the answer come, by its Content-Length?"""
    head, end, body = answer.partition(b"\r\n\r\n")
    length = [line.split(b":")[1] for line in head.lower().split(b"\r\n")
              if line.startswith(b"content-length:")]
    return end and length and len(body) >= int(length[0])


def secure(address, name, path="/", authority="house-ca", version=None, client=None, headers=""):
    """The whole answer to a request over TLS, and what was agreed upon."""
    context = ssl.create_default_context(cafile=f"{CERTS}/{authority}.pem")
    if version:
        context.minimum_version = context.maximum_version = version
    if client:
        context.load_cert_chain(f"{CERTS}/{client}.crt", f"{CERTS}/{client}.key")
    with socket.create_connection((address, 443), 30) as raw, \
            context.wrap_socket(raw, server_hostname=name) as s:
        s.sendall(f"GET {path} HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n{headers}\r\n".encode())
        answer = b""
        while not whole(answer) and (piece := s.recv(65536)):
            answer += piece
        return answer.decode(), s.version(), s.cipher()[0]


def refused(*args, **kwargs):
    try:
        secure(*args, **kwargs)
    except OSError:  # ssl.SSLError is one
        return True
    return False


def termination():
    at = "192.0.2.16"
    answer, version, _ = secure(at, "www.example.com")
    check("TLS 1.3", version == "TLSv1.3" and answer.startswith("HTTP/1.1 200"))
    check("the server learns that it was TLS", "X-Forwarded-Proto: https" in answer or
          "x-forwarded-proto: https" in answer)
    _, version, cipher = secure(at, "www.example.com", version=ssl.TLSVersion.TLSv1_2)
    check("TLS 1.2 with forward secrecy", version == "TLSv1.2" and cipher.startswith("ECDHE-") and
          "GCM" in cipher)
    check("another name has its own certificate", secure(at, "www.example.org")[1] == "TLSv1.3")


def redirect_hsts():
    at = "192.0.2.17"
    status, fields, _ = ask(at, "/a?b=1", headers={"Host": "www.example.com"})
    check("plain requests are sent on",
          (status, fields["location"]) == (301, "https://www.example.com/a?b=1"))
    answer = secure(at, "www.example.com")[0].lower()
    check("and told to come straight", "strict-transport-security: max-age=31536000" in answer)


def passthrough():
    at = "192.0.2.18"
    check("mail", secure(at, "mail.example.com")[0].split("\r\n\r\n")[1].startswith("mail1"))
    check("a shop", secure(at, "x.shop.example.com")[0].split("\r\n\r\n")[1].startswith("shop"))
    check("all else", secure(at, "www.example.com")[0].split("\r\n\r\n")[1].startswith("web1"))
    with socket.create_connection((at, 443), 30) as s:
        s.sendall(b"GET / HTTP/1.0\r\n\r\n")
        try:
            check("what is no TLS is refused", s.recv(100) == b"")
        except ConnectionResetError:
            check("what is no TLS is refused", True)


def mutual():
    at = "192.0.2.19"
    friend = secure(at, "www.example.com", client="friend", headers="X-Client-CN: forged\r\n")[0].lower()
    check("a partner gets in, and is named", "x-client-cn: friend" in friend and
          "x-client-serial: " in friend and "forged" not in friend)
    check("nobody else does", refused(at, "www.example.com", version=ssl.TLSVersion.TLSv1_2))
    check("nor a revoked one", refused(at, "www.example.com", version=ssl.TLSVersion.TLSv1_2,
                                       client="former"))
    check("staff has no business here",
          secure(at, "www.example.com", client="employee")[0].startswith("HTTP/1.1 403"))


def reencrypt():
    at = "192.0.2.20"
    check("through both", "\r\n\r\nsite" in secure(at, "www.example.com")[0])
    check("the server was asked by its name",
          "site.internal" in [origin.asked for origin in origins.values()])
    for origin in origins.values():
        origin.context.load_cert_chain(f"{CERTS}/other.crt", f"{CERTS}/other.key")
    check("a server with another name is not believed",
          secure(at, "www.example.com")[0].startswith("HTTP/1.1 503"))


run("tls-", (("termination", termination), ("redirect-hsts", redirect_hsts),
             ("passthrough-sni", passthrough), ("mutual", mutual), ("reencrypt", reencrypt)), TlsExample)
