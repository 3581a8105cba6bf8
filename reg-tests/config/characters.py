# SPDX-License-Identifier: BSD-2-Clause
"""Words of many characters in each place of a configuration. Called by characters.sh."""
import re
import subprocess
import sys

penstock, example, cfg = sys.argv[1:]
with open(example, encoding="utf-8") as file:
    lines = file.read().split("\n")
failures = refused = 0


def words(line):
    return [m.span() for m in re.finditer(r"\S+", line)] if not line.lstrip().startswith("#") else []


def problems(text):
    global refused
    with open(cfg, "w", encoding="utf-8") as file:
        file.write(text)
    run = subprocess.run([penstock, "-c", "-f", cfg], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    refused += run.returncode == 1
    try:
        run.stderr.decode()
    except UnicodeDecodeError as error:
        return run.stderr[max(0, error.start - 100):error.start + 20]
    return None


for place in range(max(len(words(line)) for line in lines)):
    for letter, count in ("é", 1), ("é", 40), ("€", 80), ("€", 300), ("😀", 20):
        for shift in range(2):
            changed = []
            for line in lines:
                spans = words(line)
                if place < len(spans):
                    start, end = spans[place]
                    line = line[:end] + "x" * shift + letter * count + line[end:]
                changed.append(line)
            wrong = problems("\n".join(changed))
            failures += wrong is not None
            if wrong is not None:
                print("FAILED  word %u, %u times %s: a character is cut" % (place, count, letter), wrong)
failures += refused < 30
print("%u configurations are refused in whole characters" % refused)
sys.exit(failures != 0)
