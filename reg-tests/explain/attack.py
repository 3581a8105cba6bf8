# SPDX-License-Identifier: BSD-2-Clause
"""A trace of more rules than there is memory for. Called by attack.sh."""
from service import check, finish
from told import get, trace

t = trace()
answer = get("/7")
said = t.all()
check("a trace of 25,000 rules ends, and says what it lacks", answer.startswith("HTTP/1.1 200") and
      "+ X-7: a" in said and "no memory for all" in said and "status 200" in said, said[-600:])
finish()
