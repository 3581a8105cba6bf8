#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The columns h1_* of show stat: connections, exchanges and bytes of HTTP/1, of frontends and
# backends; the reference counts the same where it is installed.
. "${0%/*}/../lib.sh"

set -- $(ports 3)
{
	http_defaults
	printf 'frontend copies\n\tbind %s\n\tdefault_backend copied\n' "$front"
	printf 'frontend splices\n\tbind 127.0.0.1:%s\n\toption splice-request\n\toption splice-response\n' "$1"
	printf '\tdefault_backend spliced\n'
	printf 'frontend h2\n\tbind 127.0.0.1:%s proto h2\n\tdefault_backend plain\n' "$2"
	printf 'frontend bytes\n\tmode tcp\n\tbind 127.0.0.1:%s\n\tdefault_backend tcp\n' "$3"
	printf 'backend copied\n\tserver s %s\nbackend plain\n\tserver s %s\n' "$back" "$back"
	printf 'backend spliced\n\toption splice-request\n\toption splice-response\n\tserver s %s\n' "$back"
	printf 'backend tcp\n\tmode tcp\n\tserver s %s\n' "$back"
} | config
how=
walk() {
	start_penstock
	driver "$srcdir/reg-tests/cli/h1_columns.py" --splices "$1" --h2 "$2" --bytes "$3" $how || failures=1
	stop_penstock
}
: "${REFERENCE:=haproxy}"
if "$REFERENCE" -v 2>/dev/null | grep -q 'version 2\.[68]' && ! sanitized; then
	ours=$PENSTOCK
	PENSTOCK=$REFERENCE
	say "## the reference"
	how=--reference walk "$@"
	PENSTOCK=$ours
	say "## ours"
fi
walk "$@"
finish
