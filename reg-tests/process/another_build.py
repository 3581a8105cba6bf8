# SPDX-License-Identifier: BSD-2-Clause
"""What another_build.sh describes."""

import os
import sys

folder = f"/proc/{sys.argv[1]}/fd/"
regions = {}
for fd in os.listdir(folder):
    name = os.readlink(folder + fd)
    if "memfd:penstock-" in name:
        regions[name.split("-")[1].split()[0]] = folder + fd
assert {"segment", "sessions", "early", "tickets", "stick"} <= set(regions), regions
for name, path in regions.items():
    with open(path, "r+b", buffering=0) as f:
        assert f.read(8) == b"PSregion", path
        f.seek(16)
        layout = f.read(8)
        f.seek(16)
        f.write(bytes(b ^ 0x55 for b in layout))
    try:
        if name not in ("tickets", "ocsp"):  # which are never mapped
            os.truncate(path, 4096)
            sys.exit(f"{name} can be cut off")
    except PermissionError:
        pass
