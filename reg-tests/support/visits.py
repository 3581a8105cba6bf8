# SPDX-License-Identifier: BSD-2-Clause
"""Requests to a frontend that chooses the backend by the field "to", and what came back."""

import http.client

from service import PATIENCE, address


def connect(front):
    return http.client.HTTPConnection(*address(front), timeout=PATIENCE)


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
