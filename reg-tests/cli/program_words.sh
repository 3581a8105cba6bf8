#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Commands about the program say what is so, for all workers: startup-logs, threads, tasks, libs,
# cache; those about dynamic cookies change what responses carry, with the values of the reference.
. "${0%/*}/../lib.sh"

http_conf() {
	cat <<-END
	$(http_defaults)
	frontend fe
		bind $front
		default_backend be
	backend be
		cookie SRV insert dynamic
		dynamic-cookie-key first
		server s1 $back
	END
}
# What the start warns of.
warned() { printf 'listen doubtful\n\tbind %s\n\toption httplog\n\tmode http\n' "127.0.0.1:$(ports 1)"; }
{
	printf '\tnbthread 2\n'
	http_conf
	warned
} | config
start_workers
driver "${0%.sh}_cookies.py" || failures=1

driver "${0%.sh}.py" || failures=1
stop_penstock

if haproxy -v 2>/dev/null | grep -q 'version 2\.6' && ! sanitized; then
	http_conf | config
	PENSTOCK=haproxy
	start_penstock
	driver "${0%.sh}_cookies.py" || failures=1
	check "the values are those of the reference" test "$(sort -u "$dir/seen" | wc -l)" -eq 1
fi
finish
