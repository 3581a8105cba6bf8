#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A response whose end is that of the connection, and that is left when a timeout is over, ends with
# RST: FIN would make the client take what it has for the whole. One that is whole ends with FIN.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
{
	printf 'defaults\n\tmode http\n\ttimeout connect 30s\n\ttimeout client 30s\n\ttimeout server 30s\n'
	printf 'listen l\n\tbind %s\n\tserver s1 %s\n' "$front" "$back"
	printf '\thttp-request set-timeout server 1s if { path_end half }\n'
} | config
start_penstock
timeout 100 python3 "${0%.sh}.py" "$front" "$back" || fail "a response does not end as it has to"
finish
