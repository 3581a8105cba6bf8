#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A reload whose file is well written but cannot be served (an address is taken): the workers of
# before are led as before. One that dies is replaced with the configuration that they run, changes
# and checks reach all of them, and the next reload takes over what was changed.
. "${0%/*}/../lib.sh"

config <<END
	nbproc 2
$(http_defaults)
frontend fe
	bind $front
	default_backend be
backend be
	server s1 $back check inter 200ms rise 1 fall 1
	server s2 $back weight 3
END
start_workers
driver "${0%.sh}.py" || failures=1
wait "$pid" 2>/dev/null
pid=
check "those that could not start leave nothing behind" eval '! grep -q Sanitizer "$log"'
[ "$failures" -eq 0 ] || cat "$log"
finish
