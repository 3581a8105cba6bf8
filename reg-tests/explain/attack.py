# SPDX-License-Identifier: BSD-2-Clause
"""A trace of more rules than there is memory for. Called by attack.sh."""
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
stats.sendall(b"trace request\n")
said = b""
while b"Any key stops" not in said:
    said += stats.recv(65536)
host, port = args.front.rsplit(":", 1)
client = socket.create_connection((host, int(port)), 60)
client.sendall(b"GET /7 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
answer = b""
while piece := client.recv(65536):
    answer += piece
while piece := stats.recv(65536):
    said += piece
text = said.decode()
good = answer.startswith(b"HTTP/1.1 200") and "+ X-7: a" in text and "no memory for all" in text and "status 200" in text
print("ok     " if good else "FAILED ", "a trace of 25,000 rules ends, and says what it lacks", "" if good else text[-600:])
sys.exit(not good)
