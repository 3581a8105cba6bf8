#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# "strict-maxconn": a server never has more connections than its maxconn, those that wait for their
# next request included. They are used or closed to make room, by one process as by three, and
# nobody waits for ever for what another process keeps. Who waits for another server disturbs
# nobody.
. "${0%/*}/../lib.sh"

set -- $(ports 2)
loose=127.0.0.1:$1
held=127.0.0.1:$2
for workers in 1 3; do
	config <<-END
		nbproc $workers
	$(http_defaults)
		timeout queue 1m
		default-server maxconn 2 pool-low-conn 10
	frontend fe
		bind $front
		use_backend loose if { path_beg /loose }
		use_backend mixed if { path_beg /mixed }
		default_backend strict
	backend strict
		server s $back strict-maxconn
	backend loose
		server s $loose
	backend mixed
		timeout queue 2s
		cookie S
		server s $loose cookie s maxconn 20 strict-maxconn
		server held $held cookie held maxconn 1
	END
	if [ $workers = 1 ]; then start_penstock; else start_workers; fi
	driver "${0%/*}/strict_maxconn.py" --loose "$loose" --held "$held" --workers $workers || failures=1
	[ $workers != 1 ] || stop_penstock
done
finish
