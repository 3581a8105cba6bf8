# SPDX-License-Identifier: BSD-2-Clause
"""The number that the shim counts down: its rule memory=ENOMEM with SHIM_NTH (reg-tests/shim)."""

import mmap
import struct


class Countdown:
    """path: the file of 8 bytes that the program under the shim has, too."""

    def __init__(self, path):
        with open(path, "r+b") as f:
            self.map = mmap.mmap(f.fileno(), 8)

    def set(self, n):
        """The n-th allocation from now on fails; 0: none does."""
        struct.pack_into("q", self.map, 0, n)

    def left(self):
        """Not above 0: it has failed."""
        return struct.unpack_from("q", self.map, 0)[0]
