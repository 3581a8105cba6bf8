#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# eject: servers that fail more than the others, or are slower, get no sessions for a while, in all
# workers; they come back by themselves and by command; killed workers and a reload change nothing.
. "${0%/*}/../lib.sh"

a=$(ports 1) b=$(ports 1) failing=$(ports 1) slow=$(ports 1) broken=$(ports 1)
servers() {
	printf '\tserver %s 127.0.0.1:%s\n' a "$a" b "$b" ill "$1"
}
config <<END
	nbproc 2
$(http_defaults)
	eject error-rate 10 min-requests 10 inter 200ms time 1h max-time 2h
frontend fe
	bind $front
	use_backend %[path,field(2,/)]
backend errors
$(servers "$failing")
backend slow
	eject slower-than 200 min-requests 2 most 34 inter 1s time 1s
$(servers "$slow")
backend alike
	server one 127.0.0.1:$broken
	server two 127.0.0.1:$broken
backend never
	no eject
$(servers "$failing")
END
start_workers
driver "${0%/*}/eject.py" "$a" "$b" "$failing" "$slow" "$broken" || failures=1
finish
