#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Many servers come and go beside traffic: no request fails, and memory, descriptors and slots are
# in the end what they were. SERVERS=10000 is the long form.
. "${0%/*}/../lib.sh"

http_config "nbproc 4" <<END
frontend fe
	bind $front
	default_backend be
backend be
	http-reuse always
	balance leastconn
	server fixed $back
END
start_workers
sanitized && export SANITIZED=1
driver "${0%/*}/many.py" || failures=1
[ "$failures" -eq 0 ] || tail -n 40 "$log"
finish
