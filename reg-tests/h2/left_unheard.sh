#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A client of HTTP/2 leaves in the same turn of the loop in which its streams are answered: the log
# has 400 and CH, or the whole answer, and never a fault of the program.
. "${0%/*}/../lib.sh"

logs=$(ports 1)
config <<END
	log 127.0.0.1:$logs format raw local0
$(http_defaults)
	log global
	log-format "%[var(txn.path)] %ST %ts"
frontend fe
	bind $front proto h2
	http-request set-var(txn.path) path
	default_backend be
backend be
	server s $back
END
start_penstock
driver "${0%/*}/left_unheard.py" --logs "$logs" || failures=1
finish
