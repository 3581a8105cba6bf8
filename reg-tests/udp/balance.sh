#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# udp-lb: which server gets a session: algorithms, weights, backups, maxconn of servers, and who
# stays where when servers go and come; shards and nice of dgram-bind lines.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
set -- $(ports 15)
{
	printf 'global\n\tstats socket %s level admin\n' "$stats"
	# NAME PORT LINES: a section of the three servers.
	section() {
		printf 'udp-lb %s\n\tdgram-bind 127.0.0.1:%s\n%b' "$1" "$2" "$3"
		printf '\ttimeout client 5m\n\ttimeout server 5m\n'
	}
	three() {
		printf '\tserver a 127.0.0.1:%s %s\n\tserver b 127.0.0.1:%s\n\tserver c 127.0.0.1:%s\n' \
			"$a" "${1:-}" "$b" "$c"
	}
	a=$1 b=$2 c=$3
	section static-rr "$4" '\tbalance static-rr\n'; three "weight 3"
	section roundrobin "$5" '\tbalance roundrobin\n'; three "weight 3"
	section leastconn "$6" '\tbalance leastconn\n'; three
	section first "$7" '\tbalance first\n'; three "maxconn 4"
	section random "$8" '\tbalance random\n'; three
	section source "$9" '\tbalance source\n\thash-type consistent\n'; three
	section payload "${10}" '\tbalance hash req.payload(0,2)\n\thash-type consistent\n'; three
	section bounded "${11}" \
		'\tbalance hash req.payload(0,2)\n\thash-type consistent\n\thash-balance-factor 150\n'; three
	section backup "${12}" ''
	printf '\tserver a 127.0.0.1:%s maxconn 2\n\tserver b 127.0.0.1:%s backup\n' "$a" "$b"
	section sharded "${13} shards 4" ''; three
	section eager "${14} nice -1024" ''; printf '\tserver a 127.0.0.1:%s\n' "$a"
	section modest "${15} nice 1024" ''; printf '\tserver a 127.0.0.1:%s\n' "$a"
} >"$dir/cfg"
start_penstock
driver "$srcdir/reg-tests/udp/balance.py" --ports "$*" || failures=1
finish
