# SPDX-License-Identifier: BSD-2-Clause
"""Calls of gRPC, written by hand: run by grpc_rules.sh. The server is silent."""

import socket

import frames
from service import Service, address, check, finish

svc = Service()
silent = socket.create_server(address(svc.args.back), backlog=100)
MESSAGE = b"\0\0\0\0\5\x0a\3bob"


def call(path, *fields):
    client = frames.Client(svc.args.front)
    stream = client.open(frames.request(path, "POST", extra=[("content-type", "application/grpc"),
                                                             ("te", "trailers"), *fields]), False,
                         frames.frame(frames.DATA, frames.END_STREAM, 1, MESSAGE))
    return client, client.ends(stream)


check("a deadline in milliseconds", call("/shop.v1.Orders/Get", ("grpc-timeout", "100m"))[1][0] == 504)
check("... and in seconds", call("/shop.v1.Orders/Get", ("grpc-timeout", "1S"))[1][0] == 504)
client, answer = call("/shop.v1.Internal/Get")
head = dict(frames.read_block(next(f for f in client.seen if f.kind == frames.HEADERS).payload))
check("a status of gRPC out of a rule", answer == (200, b"") and head["grpc-status"] == "7" and
      head["grpc-message"] == "Not here" and head["content-type"] == "application/grpc")
check("a response that has nothing but a head", any(f.kind == frames.HEADERS and f.flags & frames.END_STREAM
                                                     for f in client.seen))
check("a field of the message", head["x-customer"] == "bob")
finish()
