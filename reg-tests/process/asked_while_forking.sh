#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A worker that is forked while the parent waits for answers of others takes nothing from it: each
# question has its end.
. "${0%/*}/../lib.sh"

config <<END
	nbproc 3
$(http_defaults)
frontend fe
	bind $front
	http-request return status 200
END
start_workers
own_driver
finish
