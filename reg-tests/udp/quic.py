# SPDX-License-Identifier: BSD-2-Clause
"""See quic.sh."""

import asyncio
import datetime
import os
import socket
import ssl

from aioquic.asyncio import QuicConnectionProtocol, serve
from aioquic.asyncio.client import connect
from aioquic.quic import connection as quic_connection
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import StreamDataReceived
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from service import PATIENCE, Service, check, finish

CLIENTS = 6


def arguments(p):
    p.add_argument("--ports")


class Names:
    """Takes the place of os in aioquic's connections: what a server draws begins with its
    number."""

    def __init__(self):
        self.number = None

    def urandom(self, n):
        drawn = os.urandom(n)
        return bytes([self.number]) + drawn[1:] if self.number and n == 8 else drawn

    def __getattr__(self, name):
        return getattr(os, name)


names = quic_connection.os = Names()


class Answers(QuicConnectionProtocol):
    """Answers each stream with the number of the server and what came."""

    number = 0

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.came = {}

    def quic_event_received(self, event):
        if not isinstance(event, StreamDataReceived):
            return
        self.came[event.stream_id] = self.came.get(event.stream_id, b"") + event.data
        if event.end_stream:
            said = b"%d " % self.number + self.came.pop(event.stream_id)
            self._quic.send_stream_data(event.stream_id, said, end_stream=True)


def numbered(number):
    return type(f"Answers{number}", (Answers,), {"number": number})


def names_itself(server, number):
    """Connection ids that it makes while it reads are its own."""
    receive = server.datagram_received

    def received(data, addr):
        names.number = number
        receive(data, addr)
        names.number = None

    server.datagram_received = received


def certificate(folder):
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.timezone.utc)
    made = (x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
            .serial_number(7).not_valid_before(now - datetime.timedelta(1)).not_valid_after(now + datetime.timedelta(1))
            .sign(key, hashes.SHA256()))
    files = folder + "/crt.pem", folder + "/key.pem"
    with open(files[0], "wb") as f:
        f.write(made.public_bytes(serialization.Encoding.PEM))
    with open(files[1], "wb") as f:
        f.write(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                                  serialization.NoEncryption()))
    return files


class Onward(asyncio.DatagramProtocol):
    """Another socket of a client: what comes there is the client's."""

    def __init__(self, protocol):
        self.protocol = protocol

    def datagram_received(self, data, addr):
        self.protocol.datagram_received(data, addr)


async def ask(client, data):
    """Which server answers."""
    reader, writer = await client.create_stream()
    writer.write(data)
    writer.write_eof()
    number, rest = (await asyncio.wait_for(reader.read(), PATIENCE)).split(b" ", 1)
    assert rest == data, (rest[:50], data[:50])
    return int(number)


async def moves(client):
    """The client goes on from another address."""
    s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)  # for both families, as aioquic's own
    s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    s.bind(("::", 0))
    transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(lambda: Onward(client), sock=s)
    old, client._transport = client._transport, transport
    return old


async def main():
    service = Service(arguments)
    front, *backs = [int(p) for p in service.args.ports.split()]
    files = certificate(service.args.dir)
    for number, port in enumerate(backs, 1):
        config = QuicConfiguration(is_client=False, alpn_protocols=["echo"])
        config.load_cert_chain(*files)
        names_itself(await serve("127.0.0.1", port, configuration=config, create_protocol=numbered(number)), number)
    config = QuicConfiguration(alpn_protocols=["echo"], verify_mode=ssl.CERT_NONE)
    used = set()
    for i in range(CLIENTS):
        async with connect("127.0.0.1", front, configuration=config) as client:
            first = await ask(client, b"x" * (20000 * i))
            used.add(first)
            same = await ask(client, b"again") == first
            sessions = int(service.stat("quic", "FRONTEND")["stot"])
            old = await moves(client)
            rebound = await ask(client, b"y" * (5000 * i)) == first
            second = await moves(client)
            client.change_connection_id()
            migrated = await ask(client, b"moved") == first and await ask(client, b"z" * 20000) == first
            check(f"client {i}: server {first} has it, from a new port, and with a new connection id as well",
                  same and rebound and migrated)
            check("... by new sessions", int(service.stat("quic", "FRONTEND")["stot"]) >= sessions + 2)
            old.close()
            second.close()
    check(f"balanced over all servers: {used}", used == {1, 2, 3})
    finish()


asyncio.run(main())
