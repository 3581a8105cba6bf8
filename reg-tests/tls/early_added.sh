#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Early data are taken for a name that was added at run time with allow-0rtt, by all workers, and
# once each hello, when nothing allowed them at the start.
. "${0%/*}/../lib.sh"
. "${0%/*}/early.sh"

list=127.0.0.1:$(ports 1)
printf '%s/pem late.example.com\n' "$dir" >"$dir/list"
config <<END
	nbproc 2
defaults d
	mode http
	timeout connect 1m
	timeout client 2m
	timeout server 2m
frontend list
	bind $list ssl crt-list $dir/list strict-sni
	default_backend be
backend be
	server s1 $origin
END
start_penstock
early_test "$list"
finish
