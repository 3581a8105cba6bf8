#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# "wait srv-removable" holds until each worker has carried out what came before it: one that
# computes or that gets no processor while it sleeps has not heard of "disable server" yet, and may
# send one more stream there.
. "${0%/*}/../lib.sh"

{
	printf '\tnbproc 2\n'
	http_defaults
	cat <<-END
	frontend fe
		bind $front
		default_backend be
	backend be
		server s1 $back disabled
		server s2 $back
	END
} | config
start_workers
driver "${0%.sh}.py" || failures=1
finish
