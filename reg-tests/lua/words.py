# SPDX-License-Identifier: BSD-2-Clause
"""Requests to the scripts of words.sh, and what the log says of them."""
import time

from service import Service, check, finish, until

service = Service("log")


def ask(path):
    """Status and body."""
    got = service.fetch(path)
    return got.status, got.text


def log():
    with open(service.args.log, errors="replace") as f:
        return f.read()


def logged(sentence, text):
    until(sentence, lambda: text in log())


check("maxmem: the request goes on", ask("/memory")[0] == 200)
logged("maxmem: the script has failed", "Lua function 'memory': out of memory error")
began = time.monotonic()
check("session-timeout: the request goes on", ask("/session")[0] == 200)
check("session-timeout: not before its time", time.monotonic() - began > 0.19)
logged("session-timeout: the script was ended",
       "Lua function 'session': [state-id 0] runtime error: execution timeout")
check("burst-timeout: the request goes on", ask("/burst")[0] == 200)
logged("burst-timeout: the script was ended",
       "Lua function 'burst': [state-id 0] runtime error: execution timeout")
check("service-timeout: the service is ended", ask("/service")[0] in (0, 500))
logged("task-timeout: the task is ended", "Lua task: [state-id 0] runtime error: execution timeout")
check("bool-sample-conversion", ask("/bool") == (200, "true"))
check("arguments of lua-load", ask("/arguments") == (200, "2 one two words"))
check("lua-prepend-path", ask("/module") == (200, "from the module"))
turns = int(ask("/turns")[1])
check(f"forced-yield: others went first behind {turns} rounds of a loop", 50 < turns <= 500)
threads = set()
until("lua-load-per-thread: each worker has its number",
      lambda: threads.add(ask("/thread")[1]) or {t.split()[0] for t in threads} == {"1", "2"})
check(f"lua-load-per-thread: globals of its own: {sorted(threads)}", all(t.split()[1] == "1" for t in threads))
check("the service lives on", ask("/nothing")[0] == 200)
finish()
