#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Does the manual list each notice and note that the sources have? notices_listed.py SOURCES. Calls
whose text comes from a table or a variable alone are not looked at."""
import os
import re
import sys

CALL = re.compile(r"\b(config_notice|config_note|stmt_note|stmt_secret)\(")
LITERALS = re.compile(r'"(?:[^"\\]|\\.)*"(?:\s*(?:PRI[a-z0-9]+\s*)?"(?:[^"\\]|\\.)*")*')
CONVERSION = re.compile(r"%[-0-9.*]*(?:ll|l|z|j)?[a-zA-Z]")


def call_text(text, at):
    """From there to the bracket that closes the call."""
    depth, quoted, i = 0, False, at
    while i < len(text):
        c = text[i]
        if quoted:
            i += c == "\\"
            quoted = c != '"'
        elif c == '"':
            quoted = True
        elif c in "()":
            depth += 1 if c == "(" else -1
            if not depth:
                return text[at:i]
        i += 1
    return ""


def sources(top):
    for folder, _, names in os.walk(os.path.join(top, "src")):
        for name in sorted(names):
            if name.endswith(".c") and not name.endswith(("_test.c", "_fuzz.c")):
                yield os.path.join(folder, name)


def sentences(path):
    """Line and text of what calls there say."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    for call in CALL.finditer(text):
        made = call_text(text, call.end() - 1)
        if "DIAG_WARNING" in made:
            continue
        for found in LITERALS.finditer(made):
            said = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', found.group(0)))
            if len(re.findall(r"[a-z]", CONVERSION.sub("", said))) > 8:
                yield text.count("\n", 0, call.start()) + 1, said


def main():
    top = sys.argv[1]
    with open(os.path.join(top, "doc/configuration.md"), encoding="utf-8") as f:
        manual = f.read().split("### Notices and notes")[1].split("\n## ")[0]
    listed = re.sub(r"\s+", " ", manual)
    seen = missing = 0
    for path in sources(top):
        for line, said in sentences(path):
            pattern = ".{0,200}?".join(re.escape(part.replace('\\"', '"')) for part in
                                     CONVERSION.split(said.replace("%s:%u", "%s")))
            seen += 1
            if not re.search(pattern, listed):
                missing += 1
                print("FAILED  %s:%u: the manual does not list: %s" % (os.path.relpath(path, top), line, said))
    print("%s %u notices and notes of the sources are in the manual" % ("ok     " if not missing else "FAILED ", seen))
    return missing > 0 or seen < 40


if __name__ == "__main__":
    sys.exit(main())
