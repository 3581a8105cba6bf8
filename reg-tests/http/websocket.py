#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
websocket.py FRONT BACK: server and client of the websockets package around the program: text and
binary messages of many sizes, pings, fragments, and a close of either side. Exit: 0, 1, or 77
without the package.
"""

import asyncio
import sys

try:
    import websockets
except ImportError:
    print("the Python package websockets is not installed")
    sys.exit(77)

FRONT, BACK = (a.rsplit(":", 1) for a in sys.argv[1:3])


async def echo(socket, _path=None):
    async for message in socket:
        if message == "bye":
            await socket.close(1001, "as you wish")
            return
        await socket.send(message)


async def talk():
    async with websockets.connect(f"ws://{FRONT[0]}:{FRONT[1]}/chat", max_size=None) as socket:
        for size in (0, 1, 125, 126, 65535, 65536, 1000000):
            for message in ("x" * size, bytes(size)):
                await socket.send(message)
                assert await socket.recv() == message, size
        await socket.send(iter(["in ", "three ", "pieces"]))
        assert await socket.recv() == "in three pieces"
        await (await socket.ping(b"there?"))
        await socket.send("bye")
        try:
            await socket.recv()
            assert False, "no close"
        except websockets.ConnectionClosed as closed:
            assert closed.code == 1001, closed


async def main():
    async with websockets.serve(echo, BACK[0], int(BACK[1]), max_size=None):
        await asyncio.wait_for(asyncio.gather(*(talk() for _ in range(10))), 60)
    print("ok      WebSocket: messages, fragments, ping, close")


asyncio.run(main())
