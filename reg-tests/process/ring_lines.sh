#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The server of a ring hears what the parent has to say, and what workers have, each line once; also
# after a reload. "show events" shows each once, too.
. "${0%/*}/../lib.sh"

lines=127.0.0.1:$(ports 1)
{
	printf '\tnbproc 2\n\tlog ring@r1 local0\nring r1\n\tformat raw\n\tsize 65536\n\ttimeout connect 1m\n'
	printf '\ttimeout server 1m\n\tserver s1 %s log-proto legacy\n' "$lines"
	http_proxy
} | config
python3 "${0%.sh}.py" "$lines" "$front" "$stats" "$parent" \
	"$PENSTOCK" -W -db -f "$dir/cfg" -S "$parent" || failures=1
[ "$failures" -eq 0 ] || cat "$log"
finish
