#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# "wait srv-removable" holds until each worker has carried out what came before it: one that
# computes or that gets no processor while it sleeps has not heard of "disable server" yet, and may
# send one more stream there.
. "${0%/*}/../lib.sh"

http_config "nbproc 2" <<END
frontend fe
	bind $front
	default_backend be
backend be
	server s1 $back disabled
	server s2 $back
END
start_workers
own_driver
finish
