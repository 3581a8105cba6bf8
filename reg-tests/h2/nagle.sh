#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A server of HTTP/2 that sends head and body one by one, and has Nagle's algorithm on, is not
# waited for: what it has sent is acknowledged at once. Else each answer takes 40 ms.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
config <<END
$(http_defaults)
frontend fe
	bind $front
	default_backend be
backend be
	server s1 $back proto h2
END
start_penstock
driver "${0%/*}/nagle.py" || failures=1
finish
