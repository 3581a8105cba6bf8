#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# "set server name" gives a server another name in all workers, replaced ones too, and "wait
# srv-stopped" holds until nothing is on a server, whether it is in maintenance or not.
. "${0%/*}/../lib.sh"

http_config "nbproc 2" <<END
frontend fe
	bind $front
	default_backend be
backend be
	use-server named if { path /named }
	server s1 $back disabled
	server named $back disabled
	server other $back
END
start_workers
own_driver
finish
