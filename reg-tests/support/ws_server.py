# SPDX-License-Identifier: BSD-2-Clause
"""
A server of WebSocket, and of any other protocol, by HTTP/2 (RFC 8441, library h2) and by HTTP/1,
for tests: it tells from the first bytes, or by ALPN, which it is. What it receives it gives back in
capitals; "bye" ends it.

/no        403, with a body            /reset  RST_STREAM, or a closed connection
/silent    no answer                   /wrong  by HTTP/1: 101 to another key
/unkeyed   by HTTP/1: 101 to no key    /other  by HTTP/1: 101 to another protocol
/push      1 MB at once, then as ever  /ends   200 and the end, or 101 and the end
"""

import base64
import hashlib
import threading
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import (DataReceived, RequestReceived, SettingsAcknowledged, StreamEnded,
                       StreamReset, WindowUpdated)
from h2.exceptions import ProtocolError
from h2.settings import SettingCodes

from http1 import Reader, fields_of
from origin import serve_each
from sockets import server_with

PUSHED = b"".join(b"%07d " % i for i in range(1 << 17))


def accept_of(key):
    digest = hashlib.sha1(key.encode() + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()
    return base64.b64encode(digest).decode()


class H2:
    def __init__(self, server, sock, first):
        self.server, self.sock, self.out, self.ends, self.known = server, sock, {}, set(), False
        self.h2 = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8",
                                               validate_inbound_headers=False))
        self.h2.local_settings = self.h2.local_settings.__class__(client=False, initial_values={
            SettingCodes.ENABLE_CONNECT_PROTOCOL: int(server.takes),
            SettingCodes.MAX_CONCURRENT_STREAMS: 100})
        if server.late:
            server.late.wait()
        self.h2.initiate_connection()
        self.h2.increment_flow_control_window(1 << 20)
        self.feed(first)
        while data := sock.recv(65536):
            self.feed(data)

    def feed(self, data):
        for e in self.h2.receive_data(data) if data else ():
            self.event(e)
        self.sock.sendall(self.h2.data_to_send())

    def event(self, e):
        stream = getattr(e, "stream_id", None)
        if isinstance(e, RequestReceived):
            self.server.asked.append(("h2", id(self), dict(e.headers)))
            self.answer(stream, dict(e.headers))
        elif isinstance(e, DataReceived):
            self.h2.acknowledge_received_data(e.flow_controlled_length, stream)
            if stream in self.out:
                if e.data == b"bye":
                    self.ends.add(stream)
                else:
                    self.out[stream] += e.data.upper()
                self.pour(stream)
        elif isinstance(e, StreamEnded):
            self.server.ended.append(stream)
            if stream in self.out:
                self.ends.add(stream)
                self.pour(stream)
        elif isinstance(e, StreamReset):
            self.server.reset.append(stream)
            self.out.pop(stream, None)
        elif isinstance(e, (WindowUpdated, SettingsAcknowledged)):
            for each in list(self.out):
                self.pour(each)

    def answer(self, stream, fields):
        path = fields.get(":path", "/")
        if fields[":method"] != "CONNECT" or path.endswith("/no"):
            status = "403" if path.endswith("/no") else "200"
            self.h2.send_headers(stream, [(":status", status), ("content-length", "2")])
            self.h2.send_data(stream, b"no" if status == "403" else b"ok", end_stream=True)
        elif path.endswith("/reset"):
            self.h2.reset_stream(stream)
        elif not path.endswith("/silent"):
            self.h2.send_headers(stream, [(":status", "200"), ("sec-websocket-protocol", "chat")])
            self.out[stream] = PUSHED if path.endswith("/push") else b""
            if path.endswith("/ends"):
                self.ends.add(stream)
            self.pour(stream)

    def pour(self, stream):
        while self.out[stream]:
            n = min(len(self.out[stream]), self.h2.local_flow_control_window(stream), 16384)
            if n <= 0:
                return
            self.h2.send_data(stream, self.out[stream][:n])
            self.out[stream] = self.out[stream][n:]
        if stream in self.ends:
            self.h2.end_stream(stream)
            del self.out[stream]


class WsServer:
    """takes: it announces SETTINGS_ENABLE_CONNECT_PROTOCOL. late: an event before which it says
    nothing in HTTP/2. speaks: what serves that."""

    def __init__(self, port, takes=True, alpn=None, pem=None, late=None, speaks=H2):
        self.takes, self.late, self.speaks = takes, late, speaks
        self.asked, self.ended, self.reset = [], [], []
        self.listener = serve_each(f"127.0.0.1:{port}", self.serve, server_with(pem, *alpn) if alpn else None)


    def serve(self, sock):
        try:
            first = sock.recv(65536)
            if first.startswith(b"PRI"):
                self.speaks(self, sock, first)
            elif first:
                self.serve_h1(sock, first)
        except ProtocolError:
            pass

    def serve_h1(self, sock, head):
        head = Reader(sock, head).head()
        fields = fields_of(head)
        fields[":path"] = head.decode().split()[1]
        self.asked.append(("h1", id(sock), fields))
        path, key, protocol = fields[":path"], fields.get("sec-websocket-key"), fields.get("upgrade")
        if path.endswith("/no") or not protocol:
            answer = b"403 Forbidden\r\nContent-Length: 2\r\n\r\nno" if protocol else b"200 OK\r\nContent-Length: 2\r\n\r\nok"
            sock.sendall(b"HTTP/1.1 " + answer.replace(b"\r\n", b"\r\nConnection: close\r\n", 1))
            return
        if path.endswith("/reset"):
            return
        if path.endswith("/silent"):
            sock.recv(1)
            return
        accept = accept_of("x" * 24 if path.endswith("/wrong") else key or "")
        protocol = "strange" if path.endswith("/other") else protocol
        answer = "" if not key or path.endswith("/unkeyed") else f"Sec-WebSocket-Accept: {accept}\r\n"
        sock.sendall(("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
                      f"Upgrade: {protocol}\r\n{answer}\r\n").encode())
        if path.endswith("/ends"):
            return
        if path.endswith("/push"):
            threading.Thread(target=sock.sendall, args=(PUSHED,), daemon=True).start()
        while (data := sock.recv(65536)) and data != b"bye":
            sock.sendall(data.upper())
