# SPDX-License-Identifier: BSD-2-Clause
"""
coverage.py BUILD: which lines of src/ the tests ran that were run in BUILD, by folder, lowest
first. BUILD was configured with CFLAGS="-O1 --coverage" --disable-lto --without-seccomp (which
would refuse to write the data); `make coverage` does all of it. Needs gcc's gcov.
"""

import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict


def lines_of(*data):
    """{(file of src, line): how often} of objects, of each name one; the .gcno lies beside the
    .gcda. gcov makes no file, and fails, for data of a build that has gone."""
    counts = defaultdict(int)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["gcov", "--json-format", *map(os.path.abspath, data)], cwd=folder, check=False, capture_output=True)
        for name in os.listdir(folder):
            with gzip.open(os.path.join(folder, name)) as f:
                files = json.load(f)["files"]
            for file in files:
                at = ("/" + file["file"]).rfind("/src/")
                for line in file["lines"] if at >= 0 else ():
                    counts[file["file"][at:], line["line_number"]] += line["count"]
    return counts


def data_below(folder, suffix=".gcda"):
    return [os.path.join(path, name) for path, _, names in os.walk(folder) for name in names if name.endswith(suffix)]


def main(build):
    total = defaultdict(int)
    for notes in data_below(os.path.join(build, "src"), ".gcno"):  # what no test was linked with has no data
        for place, count in lines_of(notes).items():
            total[place] += count
    folders = defaultdict(lambda: [0, 0])
    for (file, _), count in total.items():
        if not file.endswith(("_test.c", "_fuzz.c")):
            folders[os.path.dirname(file)][0] += count > 0
            folders[os.path.dirname(file)][1] += 1
    for folder, (run, lines) in sorted(folders.items(), key=lambda f: f[1][0] / f[1][1]):
        print(f"{100 * run / lines:5.1f} %  {run:6} of {lines:6} lines  {folder}")


if __name__ == "__main__":
    main(*sys.argv[1:])
