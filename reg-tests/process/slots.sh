#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The slots of a server are those of four workers together: maxconn, maxqueue, and the order of those
# who wait.
. "${0%/*}/../lib.sh"

few=127.0.0.1:$(ports 1)
config <<END
	nbproc 4
defaults
	mode http
	timeout connect 30s
	timeout client 2m
	timeout server 2m
	timeout queue 2m
	option http-server-close
frontend fe
	bind $front
	default_backend be
frontend few
	bind $few
	default_backend few
backend be
	server s1 $back maxconn 2
backend few
	balance leastconn
	server s1 $back maxconn 2 maxqueue 3
END
start_penstock -W -S "$dir/parent.sock"
python3 "$srcdir/reg-tests/process/slots.py" --front "$front" --back "$back" --few "$few" \
	--stats "$stats" --parent "$dir/parent.sock" || failures=1
finish
