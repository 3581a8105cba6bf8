#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Servers and backends that are added after a reload which could not be served (an address is taken)
# reach all workers of before, and nobody ends; the next reload keeps them. What is deleted and added
# again right behind a reload is a server of its own.
. "${0%/*}/../lib.sh"

{
	printf '\tnbproc 2\n'
	http_defaults
	cat <<-END
	frontend fe
		bind $front
		use_backend %[path,field(2,/)]
	backend keeps
		added-servers keep
		server fixed $back disabled
	defaults kept
		mode http
		added-servers keep
		timeout connect 10s
		timeout server 10s
	END
} | config
start_workers
driver "${0%.sh}.py" || failures=1
[ "$failures" -eq 0 ] || tail -n 40 "$log"
finish
