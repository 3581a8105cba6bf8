# SPDX-License-Identifier: BSD-2-Clause
"""The number that a program counts down which was started with -dMfail:FILE."""

import mmap
import struct


class Countdown:
    """path: the file, of 8 bytes."""

    def __init__(self, path):
        with open(path, "r+b") as f:
            self.map = mmap.mmap(f.fileno(), 8)

    def set(self, n):
        """The n-th allocation from now on fails; 0: none does."""
        struct.pack_into("q", self.map, 0, n)

    def left(self):
        """Not above 0: it has failed."""
        return struct.unpack_from("q", self.map, 0)[0]
