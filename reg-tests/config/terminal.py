# SPDX-License-Identifier: BSD-2-Clause
"""What penstock -c shows on terminals of some widths. Called by terminal.sh."""
import re
import subprocess
import sys

from service import check, finish
from terminal_lib import on_terminal, plain

penstock, cfg = sys.argv[1:]
words = [penstock, "-c", "-f", cfg]


def said_words(text):
    """Messages and hints without what folding adds; lines of the file are cut on purpose."""
    lines = [line for line in text.split("\n") if not re.match(" *[0-9]* \\| ", line)]
    return re.sub("\\s", "", "".join(lines))


def carets(text):
    """Which words the carets stand under."""
    found = []
    lines = text.split("\n")
    for line, below in zip(lines, lines[1:]):
        if re.match(" +\\| (\\.\\.\\.)? *\\^", below):
            at = below.index("^")
            found.append(line[at:at + below.count("^") + below.count("~")])
    return found


piped = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False).stderr.decode()
check("tools get each message in one line", max(len(line) for line in piped.split("\n")) > 120, piped)
check("and nothing else", all(re.match(r"[^ ]+:[0-9:]+ (error|warning): | *[0-9]* \| |      = hint: |$", line)
                              for line in piped.split("\n")), piped)
for width in 40, 80, 120:
    said = on_terminal(words, width, only_stderr=True)
    text = plain(said)
    check("%u columns: colours" % width, "\033[1;31merror:\033[0m" in said)
    check("%u columns: no line is wider" % width, max(map(len, text.split("\n"))) <= width, text)
    check("%u columns: no word of a message is lost" % width, said_words(text) == said_words(piped), text)
    check("%u columns: carets stand under their words" % width,
          carets(text) == ["nosuch", "is_admn", "nosuchbackend", "http-request", "hdr(host)", "é_x"], text)
text = plain(on_terminal(words, 80, only_stderr=True))
check("a place begins its line, and what goes on stands further in",
      re.search(r"\n[^ \n]+:[0-9]+:[0-9]+: error:[^\n]*\n    [^ |0-9][^|\n]*\n +[0-9]+ \| ", text), text)
check("a hint goes on below its text", re.search(r"\n      = hint: [^\n]*\n            [^ \n]", text), text)
check("a start is folded as a check is", plain(on_terminal([penstock, "-f", cfg], 80, only_stderr=True)) == text)
check("a wide terminal gets what tools get", plain(on_terminal(words, 1000, only_stderr=True)) == piped)
check("so does a narrow one", plain(on_terminal(words, 20, only_stderr=True)) == piped)
check("what is no terminal is not coloured", "\033" not in piped)
finish()
