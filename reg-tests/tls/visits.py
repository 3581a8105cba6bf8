# SPDX-License-Identifier: BSD-2-Clause
# For the Python in scripts of reg-tests/tls: requests to a frontend that chooses the backend by the
# field "to", and what came back.
import http.client
import sys
import time

failures = 0


def check(what, good, said=None):
    global failures
    print(("ok      " if good else "FAILED  ") + what)
    if not good:
        failures += 1
        if said is not None:
            print("instead: " + repr(said))


def until(what, test, seconds=60):
    end = time.monotonic() + seconds
    while not test():
        if time.monotonic() > end:
            check(what, False)
            return
        time.sleep(0.02)
    check(what, True)


def connect(front):
    host, port = front.split(":")
    return http.client.HTTPConnection(host, int(port), timeout=60)


def ask(conn, to, host="www.example.com", path="/"):
    """Status and words of the answer, "name=value" as a dictionary."""
    conn.request("GET", path, headers={"to": to, "Host": host})
    answer = conn.getresponse()
    body = answer.read().decode()
    return answer.status, dict(w.split("=", 1) for w in body.split() if "=" in w), body


def get(front, to, host="www.example.com", path="/"):
    conn = connect(front)
    try:
        return ask(conn, to, host, path)
    finally:
        conn.close()


def finish():
    sys.exit(1 if failures else 0)
