# SPDX-License-Identifier: BSD-2-Clause
"""Calls by grpcio, and their server: run by grpc.sh with addresses FRONT TLS BACK and a CA file."""

import sys
import threading
from concurrent import futures

import grpc

from service import until

front, tls, back, ca = sys.argv[1:]
failed = 0
leave = threading.Event()


def check(what, good):
    global failed
    print("ok" if good else "FAILED", what, flush=True)
    failed += not good


def unary(request, context):
    context.set_trailing_metadata((("x-trailer", "t"),))
    return request


def refuse(request, context):
    context.abort(grpc.StatusCode.NOT_FOUND, "no such thing")


def silent(request, context):
    leave.wait(60)
    return request


def many(request, context):
    for i in range(int(request)):
        yield b"%d" % i
    context.set_code(grpc.StatusCode.DATA_LOSS)


def joined(requests, context):
    return b"".join(requests)


def echo(requests, context):
    yield from requests


handlers = {
    "Unary": grpc.unary_unary_rpc_method_handler(unary),
    "Refuse": grpc.unary_unary_rpc_method_handler(refuse),
    "Silent": grpc.unary_unary_rpc_method_handler(silent),
    "Many": grpc.unary_stream_rpc_method_handler(many),
    "Joined": grpc.stream_unary_rpc_method_handler(joined),
    "Echo": grpc.stream_stream_rpc_method_handler(echo),
}
server = grpc.server(futures.ThreadPoolExecutor(16))
health = {"Check": grpc.unary_unary_rpc_method_handler(lambda request, context: b"\x08\x01")}  # SERVING
server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("t.T", handlers),
                                 grpc.method_handlers_generic_handler("grpc.health.v1.Health", health)))
server.add_insecure_port(back)
server.start()


def error(call):
    try:
        call()
    except grpc.RpcError as e:
        return e
    return None


def calls(channel, how):
    answer, call = channel.unary_unary("/t.T/Unary").with_call(b"x" * 100000, timeout=60, wait_for_ready=True)
    check(f"{how}: a unary call", answer == b"x" * 100000)
    check(f"{how}: its trailers", ("x-trailer", "t") in [tuple(m) for m in call.trailing_metadata()])
    e = error(lambda: channel.unary_unary("/t.T/Refuse")(b"", timeout=60))
    check(f"{how}: a status without a message",
          e and e.code() == grpc.StatusCode.NOT_FOUND and e.details() == "no such thing")
    e = error(lambda: channel.unary_unary("/t.T/None")(b"", timeout=60))
    check(f"{how}: an unknown method", e and e.code() == grpc.StatusCode.UNIMPLEMENTED)
    got = []
    e = error(lambda: got.extend(channel.unary_stream("/t.T/Many")(b"500", timeout=60)))
    check(f"{how}: a stream of answers", got == [b"%d" % i for i in range(500)])
    check(f"{how}: the status behind it", e and e.code() == grpc.StatusCode.DATA_LOSS)
    pieces = [b"%d" % i * 1000 for i in range(200)]
    check(f"{how}: a stream of requests",
          channel.stream_unary("/t.T/Joined")(iter(pieces), timeout=60) == b"".join(pieces))
    answered = threading.Semaphore(0)

    def in_turn():
        """Each message waits for the answer to the one before."""
        for i in range(50):
            yield b"%d" % i
            answered.acquire(timeout=60)

    got = []
    for m in channel.stream_stream("/t.T/Echo")(in_turn(), timeout=60):
        got.append(m)
        answered.release()
    check(f"{how}: both at once, in turn", got == [b"%d" % i for i in range(50)])


with grpc.insecure_channel(front) as channel:
    # The server is down until a check has found it.
    until("the server is up", lambda: not error(lambda: channel.unary_unary("/t.T/Unary")(
        b"", timeout=60, wait_for_ready=True)))
    calls(channel, "in clear")
    e = error(lambda: channel.unary_unary("/t.T/Silent")(b"", timeout=60))
    print(e and e.code(), e and e.details())
    check("timeout server ends a silent call", e and e.code() == grpc.StatusCode.UNAVAILABLE)
    check("... and no other", channel.unary_unary("/t.T/Unary")(b"y", timeout=60) == b"y")
    leave.set()
with open(ca, "rb") as f:
    trust = grpc.ssl_channel_credentials(f.read())
with grpc.secure_channel(tls, trust, (("grpc.ssl_target_name_override", "www.example.com"),)) as channel:
    calls(channel, "over TLS")
server.stop(None).wait()
sys.exit(failed != 0)
