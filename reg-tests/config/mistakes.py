# SPDX-License-Identifier: BSD-2-Clause
"""The mistakes of mistakes.txt, one by one in a configuration that is right: is the message there,
with its place, what it has to name, once? --table prints all of them beside what the reference
says. --every N: every Nth of them. --notes: are the notices and notes that the manual lists given
for its examples?"""
import argparse
import os
import re
import subprocess
import sys
import textwrap

BASE = """{first}
global
    maxconn 1000
{global}
defaults base
    mode http
    timeout client 30s
    timeout server 30s
    timeout connect 5s
{defaults}
resolvers dns
    nameserver ns1 127.0.0.1:53
userlist people
    user alice password $5$x$y
backend sessions
    stick-table type ip size 1k expire 1m store conn_rate(10s)
frontend web
    bind 127.0.0.1:8080
    acl known http_auth(people)
    http-request track-sc0 src table sessions if known
{frontend}
    use_backend api if {{ path_beg /api/ }}
    default_backend app
backend app
{backend}
    server s1 192.0.2.1:80 check
backend api
    server s1 192.0.2.2:80 check
{end}
"""
HEAD = """# Messages about mistakes

Made by `reg-tests/config/mistakes.py --table` out of `mistakes.txt`: what Penstock says with `-c -dD`, its
hint behind a semicolon, and the first line that HAProxy 2.6 says with `-c`.
"""
PLACES = "first", "global", "defaults", "frontend", "backend", "end"
SEVERITIES = {"=>": "error", "~>": "warning", "!>": "notice", "->": "note",
              "==": "(error|warning|notice)"}  # none of them


class Mistake:
    def __init__(self, title):
        self.title, self.lines, self.severity, self.wanted = title, [], None, []

    def text(self):
        at = {place: [] for place in PLACES}
        for place, line in self.lines:
            at[place].append(line if place in ("first", "end") else "    " + line)
        if any("\ufeff" in line for line in at["first"]):  # the very beginning
            rest = {p: "\n".join(at[p]) for p in PLACES[1:]}
            return at["first"][0] + BASE.format(**rest, first="").replace("\nglobal", "", 1)
        return BASE.format(**{p: "\n".join(at[p]) for p in PLACES})


def read(path):
    found, mistake = [], None
    with open(path, encoding="utf-8") as f:
        for line in f.read().splitlines():
            place, _, rest = line.partition(": ")
            if line.startswith("#"):
                continue
            if line[:2] in SEVERITIES:
                mistake.severity, mistake.wanted = SEVERITIES[line[:2]], line[3:].split("|")
                found.append(mistake)
                mistake = None
            elif mistake and place in PLACES:
                mistake.lines.append((place, re.sub(r"\\u([0-9a-f]{4})", lambda m: chr(int(m[1], 16)), rest)))
            else:
                mistake = Mistake(line)
    return found


def run(command):
    done = subprocess.run(command, capture_output=True, check=False)
    return (done.stdout + done.stderr).decode(errors="replace")


def problems(penstock, path, severity):
    """Each as its text, with what is shown of the line; of that severity."""
    said = run([penstock, "-c", "-dD", "-f", path]).replace(path, "cfg")
    return [p for p in re.split(r"\n(?=cfg:)", "\n" + said) if re.match(r"\n?cfg:[0-9:]* " + severity, p)], said


def judge(mistake, penstock, path):
    """What is wrong with the message: an empty text if nothing is."""
    found, said = problems(penstock, path, mistake.severity)
    if mistake.severity == SEVERITIES["=="]:
        return "something is said" if found else "", said
    good = [p for p in found if all(word in p for word in mistake.wanted)]
    if mistake.severity == "error" and len(found) > 1:
        return f"{len(found)} errors", said
    if not good:
        return "it does not name " + ", ".join(w for w in mistake.wanted if not any(w in p for p in found)), said
    if len(good) > 1:
        return "it is said twice", said
    return "", said


def first_line(said, marks):
    for line in said.splitlines():
        if any(mark in line for mark in marks):
            return re.sub(r"^\[\w+\]\s+\(\d+\) : (config : )?", "", line)
    return "nothing"


def reference(path):
    said = run(["haproxy", "-c", "-f", path])
    return first_line(said.replace(path, "cfg"), ("[ALERT]", "[WARNING]"))


def item(who, text):
    text = re.sub(r"\s+", " ", text).strip().replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")
    return textwrap.fill(f"- {who}: {text}", 98, subsequent_indent="  ", break_on_hyphens=False)


def listed(path):
    """The items of the manual: "- PLACE, `line` `line`: SEVERITY: text", where "..." stands for a
    place."""
    with open(path, encoding="utf-8") as f:
        section = f.read().split("### Notices and notes\n")[1].split("\n## ")[0]
    for found in re.split(r"\n(?=- )", section)[1:]:
        parts = re.match(r"- (\w+), ((?:`[^`]+` ?)+): (notice|note): (.*)", " ".join(found.split()))
        if not parts:
            sys.exit("not an item: " + found)
        mistake = Mistake(parts[2])
        place = "end" if parts[1] == "anywhere" else parts[1]
        mistake.lines = [(place, line) for line in re.findall("`([^`]+)`", parts[2])]
        mistake.severity, mistake.wanted = parts[3], parts[4].split("...")
        yield mistake


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--penstock", required=True)
    p.add_argument("--dir", required=True)
    p.add_argument("--mistakes", required=True)
    p.add_argument("--notes")
    p.add_argument("--every", type=int, default=1)
    p.add_argument("--table", action="store_true")
    p.add_argument("-v", action="store_true")
    p.add_argument("only", nargs="*")
    args = p.parse_args()
    if args.table:
        print(HEAD)
    path, bad, all_of_them = os.path.join(args.dir, "cfg"), 0, read(args.mistakes)
    if args.notes:
        all_of_them = list(listed(args.notes))
    all_of_them = all_of_them[::args.every]
    for mistake in all_of_them:
        if args.only and not any(word in mistake.title for word in args.only):
            continue
        with open(path, "w", encoding="utf-8") as f:
            f.write(mistake.text())
        if args.table and mistake.severity == SEVERITIES["=="]:
            continue
        wrong, said = judge(mistake, args.penstock, path)
        if args.table:
            found = problems(args.penstock, path, mistake.severity)[0]
            ours = next((p for p in found if all(w in p for w in mistake.wanted)), "nothing").strip().splitlines()
            hint = [line.split("hint: ", 1)[1] for line in ours if "hint: " in line]
            lines = "\n".join("    " + line.replace("\x01", "\\x01") for _, line in mistake.lines)
            print(f"\n**{mistake.title}**\n\n{lines}\n")
            print(item("Penstock", "; ".join([ours[0]] + hint)))
            print(item("HAProxy", reference(path)))
        elif wrong:
            bad += 1
            print(f"FAILED  {mistake.title}: {wrong}")
            if args.v:
                print(said)
        else:
            print(f"ok      {mistake.title}")
    if not args.table:
        print(f"{len(all_of_them) - bad} of {len(all_of_them)}")
    sys.exit(bool(bad))


main()
