# SPDX-License-Identifier: BSD-2-Clause
"""trace request of a client that begins with HTTP/2. Called by http2.sh."""
import argparse
import socket
import sys

words = argparse.ArgumentParser()
for name in "front", "back", "stats", "parent", "pid", "dir":
    words.add_argument("--" + name)
args = words.parse_args()
stats = socket.socket(socket.AF_UNIX)
stats.settimeout(60)
stats.connect(args.stats)
stats.sendall(b"trace request frontend fe\n")
said = b""
while b"Any key stops" not in said:
    said += stats.recv(65536)
host, port = args.front.rsplit(":", 1)
client = socket.create_connection((host, int(port)), 60)
# The preface, SETTINGS, HEADERS: GET, http, /, literal :authority a.
client.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0" + b"\0\0\6\1\5\0\0\0\1" + b"\x82\x86\x84\x01\1a")
while piece := stats.recv(65536):
    said += piece
text = said.decode()
good = "fc_http_major = 2" in text and "end (LR), status 200" in text and "end (--)" not in text
print("ok     " if good else "FAILED ", "trace request passes over the preface", "" if good else text)
sys.exit(not good)
