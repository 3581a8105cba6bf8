# SPDX-License-Identifier: BSD-2-Clause
"""What contrast.sh describes."""

import re
import sys

text = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', open(sys.argv[1]).read().split("style[]")[1]))
light, dark = [dict(re.findall(r"--([a-z-]+):(#[0-9a-f]+)", block))
               for block in re.findall(r":root\{(--bg|color-scheme:light dark;--bg)(.*?)\}", text)
               for block in ["".join(block)]][:2]
# What is written in which colour, on which ground.
PAIRS = [("ink", "bg"), ("ink", "card"), ("ink", "head"), ("dim", "bg"), ("dim", "card"),
         ("dim", "head"), ("zero", "card"), ("zero", "head"), ("zero", "down-row"),
         ("dim", "down-row"), ("ink", "down-row"), ("down", "card"), ("down", "head"),
         ("down", "bg"), ("fall", "card"), ("link", "bg"), ("up", "up-bg"), ("fall", "fall-bg"),
         ("rise", "rise-bg"), ("down", "down-bg"), ("maint", "maint-bg"), ("nolb", "nolb-bg"),
         ("none", "none-bg"), ("dim", "hover"), ("zero", "hover")]


def luminance(colour):
    digits = colour[1:] if len(colour) == 7 else "".join(c * 2 for c in colour[1:])
    parts = [int(digits[i:i + 2], 16) / 255 for i in (0, 2, 4)]
    parts = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


bad = 0
for name, colours in (("light", light), ("dark", {**light, **dark})):
    for ink, ground in PAIRS:
        a, b = sorted((luminance(colours[ink]), luminance(colours[ground])), reverse=True)
        ratio = (a + 0.05) / (b + 0.05)
        if ratio < 4.5:
            bad += 1
            print(f"{name}: {ink} {colours[ink]} on {ground} {colours[ground]}: {ratio:.2f}")
size = re.search(r"thead th\{[^}]*font-size:([\d.]+)rem", text)
if not size or float(size.group(1)) < 1:
    bad += 1
    print("the titles of columns are smaller than what is below them")
sys.exit(1 if bad else 0)
