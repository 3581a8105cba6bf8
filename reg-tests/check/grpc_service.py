# SPDX-License-Identifier: BSD-2-Clause
"""The health service of grpcio, asked by option grpc-check: run by grpc.sh."""

from concurrent import futures

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from service import Service, check, finish, until

svc = Service()
SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


def serve():
    servicer = health.HealthServicer()
    server = grpc.server(futures.ThreadPoolExecutor(4))
    health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
    server.add_insecure_port(svc.args.back)
    server.start()
    return server, servicer


def is_up(backend, how, text=""):
    row = svc.stat(backend, "s1")
    return row["status"].split()[0] == how and text in row["last_chk"]


server, servicer = serve()
servicer.set("", SERVING)
servicer.set("t.T", NOT_SERVING)
until("the server as a whole is up", lambda: is_up("whole", "UP"))
check("... by the answer", svc.stat("whole", "s1")["check_status"].endswith("L7OK"))
until("a service that does not serve is down", lambda: is_up("one", "DOWN", "NOT_SERVING"))
until("a service that the server does not know is down", lambda: is_up("unknown", "DOWN", "grpc-status 5 (NOT_FOUND)"))
servicer.set("t.T", SERVING)
until("it is up when it serves", lambda: is_up("one", "UP"))
servicer.enter_graceful_shutdown()
until("a server that is about to stop goes down", lambda: is_up("whole", "DOWN", "NOT_SERVING"))
server.stop(None).wait()
until("one that has stopped is down", lambda: is_up("whole", "DOWN", "Connection refused"))

server = grpc.server(futures.ThreadPoolExecutor(4))
server.add_insecure_port(svc.args.back)
server.start()
until("one without health service is down",
      lambda: is_up("whole", "DOWN", "grpc-status 12 (UNIMPLEMENTED): the server has no health service"))
server.stop(None).wait()
finish()
