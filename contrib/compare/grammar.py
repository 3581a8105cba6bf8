# SPDX-License-Identifier: BSD-2-Clause
"""
Random text out of a grammar.

A line at the margin names a rule, the indented lines below it are its alternatives; "3* " in front of
one makes it three times as likely. A rule in a later file replaces the one of the same name. Within an
alternative:

  <name>        the rule of that name          <a|b <name>|>  one of these texts
  <30% name>    in three of ten cases          <1-3 name>     so many times, parted by line feeds
  <#0-99>       a number                       \\<  \\>         the characters

Once "budget" expansions lie in one another, only those alternatives are taken that end soonest.
"""

import re

SIMPLE = re.compile(r"(?:(\d+)% |(\d+)-(\d+) )?([a-z][\w-]*)|#(-?\d+)-(\d+)")


def pieces(text):
    """[text, inside of <>, text, ...]"""
    out, depth, now, i = [], 0, "", 0
    while i < len(text):
        c = text[i]
        if c == "\\" and text[i + 1:i + 2] in ("<", ">"):
            i += 1
            now += text[i] if depth == 0 else "\\" + text[i]
        elif c == "<" and depth == 0 or c == ">" and depth == 1:
            out.append(now)
            now, depth = "", 1 - depth
        else:
            depth += (c == "<") - (c == ">")
            now += c
        i += 1
    if depth:
        raise ValueError("not closed: " + text)
    return out + [now]


def choices(text):
    """What "|" parts, outside of inner <>."""
    out, depth = [""], 0
    for c in text:
        depth += (c == "<") - (c == ">")
        if c == "|" and depth == 0:
            out.append("")
        else:
            out[-1] += c
    return out


class Grammar:
    def __init__(self, *paths):
        self.rules, self.depth = {}, {}
        for path in paths:
            self.read(path)
        for _ in self.rules:
            for name, texts in self.rules.items():
                self.depth[name] = 1 + min((self.least(t) for t in texts), default=0)

    def read(self, path):
        with open(path, encoding="utf-8") as f:
            for line in f:
                line = line.rstrip("\n")
                if not line.strip() or line.startswith("#"):
                    continue
                if line[0] != "\t":
                    texts = self.rules[line.strip()] = []
                    continue
                weight = re.match(r"\t(\d+)\* ", line)
                texts += [line[weight.end():] if weight else line[1:]] * (int(weight[1]) if weight else 1)

    def least(self, text):
        """How deep an alternative goes at least."""
        deepest = 0
        for inside in pieces(text)[1::2]:
            m = SIMPLE.fullmatch(inside)
            if not m:
                deepest = max(deepest, min(self.least(c) for c in choices(inside)))
            elif m[4] and m[2] != "0" and not m[1]:
                deepest = max(deepest, self.depth.get(m[4], 99))
        return deepest

    def make(self, name, rng, budget=6):
        texts = self.rules[name]
        if budget <= 0:
            least = min(self.least(t) for t in texts)
            texts = [t for t in texts if self.least(t) == least]
        return self.expand(rng.choice(texts), rng, budget - 1)

    def expand(self, text, rng, budget):
        out = pieces(text)
        for i in range(1, len(out), 2):
            out[i] = self.inside(out[i], rng, budget)
        return "".join(out)

    def inside(self, text, rng, budget):
        m = SIMPLE.fullmatch(text)
        if not m:
            return self.expand(rng.choice(choices(text)), rng, budget)
        if m[5]:
            return str(rng.randint(int(m[5]), int(m[6])))
        if m[1]:
            return self.make(m[4], rng, budget) if rng.randrange(100) < int(m[1]) else ""
        times = rng.randint(int(m[2]), int(m[3])) if m[2] else 1
        return "\n".join(self.make(m[4], rng, budget) for _ in range(times))
