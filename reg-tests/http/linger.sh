#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A client that goes on sending in small pieces while the last response is on its way to it gets all
# of that response: what it sends is dropped, however many pieces it comes in, and however slowly it
# takes what it gets.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
{
	printf 'defaults\n\tmode http\n\ttimeout connect 10s\n\ttimeout client 30s\n\ttimeout server 30s\n'
	printf 'listen l\n\tbind %s\n\toption httpclose\n\tserver s1 %s\n' "$front" "$back"
} | config
start_penstock
timeout 100 python3 "${0%.sh}.py" "${front##*:}" "${back##*:}" || fail "a response was cut short"
finish
