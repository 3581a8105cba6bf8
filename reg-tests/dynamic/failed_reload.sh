#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Servers and backends that are added after a reload which could not be served (an address is taken)
# reach all workers of before, and nobody ends; the next reload keeps them. What is deleted and
# added again right behind a reload is a server of its own.
. "${0%/*}/../lib.sh"

http_config "nbproc 2" <<END
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
start_workers
own_driver
finish
