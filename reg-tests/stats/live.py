# SPDX-License-Identifier: BSD-2-Clause
"""live.py BROWSER ADDRESS FOLDER PID: the stats page of that process in a Chromium, which is asked
through two pipes (--remote-debugging-pipe). Each claim is waited for. 77: the browser does not
start here."""
import fcntl
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request

WAIT = 60  # seconds; they only ever pass when it is broken
browser, address, folder, pid = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])


class Browser:
    """Messages are JSON with a NUL behind each."""

    def __init__(self):
        to_read, self.to = os.pipe()
        self.of, of_write = os.pipe()
        ends = [fcntl.fcntl(fd, fcntl.F_DUPFD, 20) for fd in (to_read, of_write)]

        def ready():
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        # pylint: disable=subprocess-popen-preexec-fn
        self.child = subprocess.Popen(
            [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--remote-debugging-pipe", "--user-data-dir=" + os.path.join(folder, "profile"), "about:blank"],
            preexec_fn=ready, close_fds=False, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            env={**os.environ, "HOME": folder})
        for fd in (to_read, of_write, *ends):
            os.close(fd)
        self.buffer, self.number, self.session, self.errors = b"", 0, None, []

    def ask(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                return answer.get("result", answer)
            if answer.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded"):
                self.errors.append(json.dumps(answer["params"])[:300])

    def read(self):
        while b"\0" not in self.buffer:
            more = os.read(self.of, 65536)
            if not more:
                raise EOFError
            self.buffer += more
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def value(self, expression):
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        return answer.get("result", {}).get("value")

    def end(self):
        self.child.terminate()
        self.child.wait()


def claim(sentence, holds):
    """Waits until it holds."""
    end = time.monotonic() + WAIT
    while not holds() and time.monotonic() < end:
        time.sleep(0.1)
    print("ok     " if holds() else "FAILED ", sentence, flush=True)


ROWS = "[...document.querySelectorAll('tbody>tr.S[id^=\"app/\"]')]"
SHOWN = ("[...document.querySelectorAll('tbody>tr[id]')]"
         ".filter(r=>!r.hidden&&!r.closest('section').hidden).map(r=>r.id).join()")
TICKED = "document.querySelector('input[type=checkbox][value=b]').checked"


def refreshed(b):
    """A request more is counted in the row of the frontend: the page has been asked for again."""
    before = b.value("document.getElementById('web/Frontend').innerText")
    with urllib.request.urlopen(address + "/hit", timeout=WAIT) as answer:
        answer.read()
    claim("  numbers change in place",
          lambda: b.value("document.getElementById('web/Frontend').innerText") != before and b.value("seen") == 1)


def play(b):
    b.session = b.ask("Target.attachToTarget", targetId=b.ask("Target.createTarget", url="about:blank")["targetId"],
                      flatten=True)["sessionId"]
    for domain in "Page", "Runtime", "Log":
        b.ask(domain + ".enable")
    b.ask("Page.navigate", url=address + "/s")
    claim("the page is there", lambda: b.value("!!document.getElementById('web/Frontend')&&"
                                               "document.readyState=='complete'"))
    b.value("seen=1")
    b.value("document.querySelector('input[type=checkbox][value=b]').click()")
    refreshed(b)
    claim("a server that was ticked stays ticked", lambda: b.value(TICKED))
    b.value("document.querySelector('select').selectedIndex=2")
    chosen = b.value("document.querySelector('select').value")
    refreshed(b)
    claim("an action that was chosen stays chosen", lambda: b.value("document.querySelector('select').value") == chosen)
    head = f"{ROWS}[0].closest('table').querySelector('thead tr+tr th')"
    b.value(f"{head}.click()")
    claim("the head of a column sorts the servers", lambda: b.value(f"{ROWS}.map(r=>r.id).join()") == "app/c,app/b,app/a")
    refreshed(b)
    claim("and they stay sorted", lambda: b.value(f"{ROWS}.map(r=>r.id).join()") == "app/c,app/b,app/a" and
          b.value(f"{head}.getAttribute('aria-sort')") == "descending")
    claim("with what was ticked", lambda: b.value(TICKED))
    b.value("(()=>{const b=document.querySelector('input[name=scope]');b.value='app/c';"
            "b.dispatchEvent(new Event('input'))})()")
    claim("names are filtered while they are typed", lambda: b.value(SHOWN) == "app/c")
    refreshed(b)
    claim("and stay filtered", lambda: b.value(SHOWN) == "app/c" and
          b.value("document.querySelector('input[name=scope]').value") == "app/c")
    print("ok     " if not b.errors else "FAILED ", "the script makes no mistake", *b.errors)
    os.kill(pid, signal.SIGTERM)
    claim("without the program the numbers are old",
          lambda: "numbers are old" in (b.value("(document.getElementById('+late')||{}).textContent") or ""))


chromium = Browser()
try:
    chromium.ask("Browser.getVersion")
except (EOFError, BrokenPipeError):
    print("the browser does not start here")
    sys.exit(77)
try:
    play(chromium)
finally:
    chromium.end()
