#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What a request costs while its surroundings grow. Words: contrib/bench/run-growth, the program."""

import importlib.machinery
import importlib.util
import sys

from service import check, finish

sys.dont_write_bytecode = True
_loader = importlib.machinery.SourceFileLoader("growth", sys.argv[1])
growth = importlib.util.module_from_spec(importlib.util.spec_from_loader("growth", _loader))
_loader.exec_module(growth)
PROGRAM = sys.argv[2]

FEW, MANY = 10, 200
# A tree of 200 is four levels deeper than one of 10: less than 70 instructions each. A walk of the 190
# more would cost that many times what one takes.
DEEPER = 300
# What grows with the number, and how much each one may cost.
LINEAR = {("map", "sub"): 8, ("backends", "list"): 900}
# A rule that does not apply, the declaration of an ACL, its place in a condition: together.
RULE = 1800


def flat(kind):
    found = growth.curve(PROGRAM, kind, [FEW, MANY])
    for work, few in found[FEW].items():
        many, most = found[MANY][work], DEEPER
        if (kind, work) in LINEAR:
            most = LINEAR[kind, work] * (MANY - FEW)
        check(f"{kind}, {work}: {few:.0f} instructions among {FEW}, {many:.0f} among {MANY}", many - few <= most)


def linear():
    """From 10 to 100 and from 100 to 300 rules the same for each."""
    found = growth.curve(PROGRAM, "rules", [10, 100, 300])
    first, second = ((found[b]["rules"] - found[a]["rules"]) / (b - a) for a, b in ((10, 100), (100, 300)))
    check(f"a rule costs {first:.0f} instructions", first <= RULE)
    check(f"a rule costs {first:.0f} instructions among 100, {second:.0f} among 300", second <= 1.1 * first)


for each in ("servers", "last", "backends", "map", "stick"):
    flat(each)
linear()
finish()
