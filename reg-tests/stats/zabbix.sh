#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What the public templates "HAProxy by HTTP" and "HAProxy by Zabbix agent" (of Zabbix 6.0) read out
# of the statistics page, by their own expressions, paths and columns: the same is found as in the
# reference's page. The agent sees heads of responses in front of their bodies.
. "${0%/*}/../lib.sh"

{
	printf 'defaults\n\tmode http\n\ttimeout connect 5s\n\ttimeout client 5s\n\ttimeout server 5s\n'
	printf 'frontend fe\n\tbind %s\n\tstats enable\n\tstats uri /stats\n' "$front"
	printf '\tdefault_backend be\nbackend be\n\tserver s1 %s check fall 1\n\tserver s2 %s\n' "$back" "$back"
	printf 'backend tcp\n\tmode tcp\n\tserver s1 %s\n' "$back"
} | config
ours=$PENSTOCK
if haproxy -v 2>/dev/null | grep -q 'version 2\.6' && ! sanitized; then
	PENSTOCK=haproxy
	start_penstock
	driver "${0%.sh}.py" --who "the reference" || failures=1
	stop_penstock
fi
PENSTOCK=$ours
start_penstock
driver "${0%.sh}.py" --who ours || failures=1
finish
