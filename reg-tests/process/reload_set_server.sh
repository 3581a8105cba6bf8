#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What "set server" has set of checks, agents and TLS outlasts reloads, word by word, as long as the
# file says of it what it said before: also of a kept server, which stays DOWN by its check-port.
. "${0%/*}/../lib.sh"

http_config "nbproc 2" <<END
frontend fe
	bind $front
	default_backend be
backend be
	added-servers keep
	server asked $back check inter 300ms port 7 agent-check agent-port 8 agent-inter 1h
	server plain $back ssl verify none
	server never $back no-ssl
	server later $back disabled
END
start_workers
own_driver
finish
