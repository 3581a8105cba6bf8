# SPDX-License-Identifier: BSD-2-Clause
"""What penstock explain shows on terminals of some widths. Called by terminal.sh."""
import re
import subprocess
import sys

from service import check, finish
from terminal_lib import on_terminal, plain

penstock, cfg = sys.argv[1:]
agent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML; like Gecko) Chrome/130.0.0.0"
words = [penstock, "explain", "-f", cfg, "GET http://shop.example.org/cart?id=1", "-H", "User-Agent: " + agent,
         "-H", "X-Odd: a\u009b31mb", "-H", "Cookie: id=" + "0123456789abcdef" * 20]


def dense(text):
    """Without what folding adds and takes; the date of the log's line is another one each time."""
    return re.sub("\\[[0-9]+/[A-Z][a-z]+/[^]]*\\]", "", re.sub("\\s", "", text))


piped = subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout.decode()
check("a file gets long lines whole", max(map(len, piped.split("\n"))) > 300 and "\033" not in piped)
for width in 40, 80, 120:
    said = on_terminal(words, width)
    text = plain(said)
    check("%u columns: colours" % width, "\033[32m" in said and "\033[0m" in said)
    check("%u columns: no line is wider" % width, max(map(len, text.split("\n"))) <= width, text)
    check("%u columns: nothing is cut" % width,
          dense(text.replace("\\xc2\\x9b", "\u009b")) == dense(piped), text)
    check("%u columns: what a terminal would obey is written out" % width,
          "\u009b" not in said and "a\\xc2\\x9b31mb" in dense(said), text)
    check("%u columns: colours end where they began" % width,
          said.count("\033[0m") == len(re.findall("\033\\[[1-9]", said)))
text = plain(on_terminal(words, 80))
check("what goes on stands further in than its line",
      re.search(r"\n         User-Agent: Mozilla/5.0 [^\n]*\n             [^ ]", text), text)
check("a rule, too", re.search(r"\n +[0-9]+ \+ http-request set-header X-Long [^\n]*\n             [^ ]", text), text)
check("no colour where none is wanted", "\033" not in on_terminal(words + ["--no-colour"], 80))
check("what is as wide as it needs stays", dense(plain(on_terminal(words, 1000))) == dense(piped.replace(
      "\u009b", "\\xc2\\x9b")))
finish()
