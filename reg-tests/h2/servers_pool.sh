#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Whom a connection of HTTP/2 to a server may serve, and for how long: http-reuse, max-reuse,
# pool-max-conn, pool-low-conn, pool-purge-delay, option http-server-close; maxconn counts requests.
. "${0%/*}/../lib.sh"

python_with h2 || { say "python3-h2 is not installed"; exit 77; }
names="never safe aggressive always reuse none one closing low purged few"
list=
for name in $names; do
	port=$(ports 1)
	eval "$name=127.0.0.1:$port"
	list="$list $name=$port"
done
config <<END
$(http_defaults)
frontend fe
	bind $front
	use_backend %[req.hdr(x-to)]
backend never
	http-reuse never
	server s $never proto h2
backend safe
	server s $safe proto h2
backend aggressive
	http-reuse aggressive
	server s $aggressive proto h2
backend always
	http-reuse always
	server s $always proto h2
backend reuse
	http-reuse always
	server s $reuse proto h2 max-reuse 1
backend none
	http-reuse always
	server s $none proto h2 pool-max-conn 0
backend one
	http-reuse always
	server s $one proto h2 pool-max-conn 1
backend closing
	http-reuse always
	option http-server-close
	server s $closing proto h2
backend low
	http-reuse always
	server s $low proto h2 pool-purge-delay 50ms pool-low-conn 1
backend purged
	http-reuse always
	server s $purged proto h2 pool-purge-delay 50ms
backend few
	http-reuse always
	server s $few proto h2 maxconn 2
END
start_penstock
driver "${0%/*}/servers_pool.py" $(printf ' --server %s' $list) || failures=1
stop_penstock
finish
