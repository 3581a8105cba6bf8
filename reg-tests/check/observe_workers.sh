#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# "error-limit" counts the errors in a row that clients meet in whichever worker, and one good
# answer in any of them ends the row.
. "${0%/*}/../lib.sh"

http_config "nbproc 2" <<END
frontend fe
	bind $front
	http-response set-header X-Pid %pid
	default_backend be
backend be
	server s $back check addr ${front%:*} port ${front#*:} inter 1h observe layer7 error-limit 20 on-error mark-down
END
start_workers
own_driver
finish
