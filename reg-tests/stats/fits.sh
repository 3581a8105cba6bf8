#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# All columns of the stats page fit into a window of 1,280 px, beside a scroll bar of 15 px.
python3 - "${srcdir:-.}/src/stats" <<'X'
import re
import sys

folder = sys.argv[1] + "/"
style = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', open(folder + "html_style.c").read().split("style[]")[1]))
rem = float(re.search(r"font:clamp\(([\d.]+)px,([\d.]+)vw", style)[2]) * 1280 / 100
body = re.search(r"min-width:calc\(([\d.]+)rem \+ ([\d.]+)px\)", style)
width = {name: float(w) for name, w in re.findall(r"col\.(w\d)\{width:([\d.]+)rem\}", style)}
text = open(folder + "html_cells.c").read() + open(folder + "html_counts.c").read()
rows = re.findall(r'\{ (?:NULL|"[^"]*"), "([^"]*)",\s*"(w\d)[ "]', text)
columns = [w for name, w in rows if name not in ("relay", "h2")]  # these come with what they count
table = sum(width[w] for w in columns)
least = float(re.search(r"section>table,section>form>table\{width:100%;min-width:([\d.]+)rem", style)[1])
print("%u columns, %.2f rem; the tables have %.2f rem, the page %.1f px" %
      (len(columns), table, least, float(body[1]) * rem + float(body[2])))
good = len(columns) > 20 and table <= least + 0.01 and least <= float(body[1]) and \
    float(body[1]) * rem + float(body[2]) <= 1280 - 15
print("ok" if good else "FAILED")
sys.exit(not good)
X
