# SPDX-License-Identifier: BSD-2-Clause
"""What tests do to sockets: resets, small buffers, TLS without looking at certificates."""

import socket
import ssl
import struct

from service import PATIENCE, address


def ends_by_reset(s):
    """Closing it will be a reset."""
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def reset(s):
    ends_by_reset(s)
    s.close()


def narrow(to, size):
    """A connection to "host:port" whose kernel takes little."""
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, size)
    s.settimeout(PATIENCE)
    s.connect(address(to))
    return s


def any_server(*protocols, version=None):
    """An SSLContext of a client that takes any certificate. protocols: for ALPN."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if protocols:
        context.set_alpn_protocols(list(protocols))
    if version:
        context.minimum_version = context.maximum_version = version
    return context


def server_with(pem, *protocols):
    """An SSLContext of a server with that certificate and key."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    if protocols:
        context.set_alpn_protocols(list(protocols))
    return context
