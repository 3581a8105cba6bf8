#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Four workers accept as one: connections spread evenly, limits hold for the sum, a freed place
# serves whoever waits in any of them, and one that is killed leaves its places to the others.
. "${0%/*}/../lib.sh"


limited=127.0.0.1:$(ports 1)
lines=127.0.0.1:$(ports 1)
slow=127.0.0.1:$(ports 1)

# frontend NAME ADDRESS [WORDS-OF-BIND [LINE]]
frontend() {
	cat <<-END
	frontend $1
		bind $2 ${3:-}
		${4:-}
		http-request return status 200 hdr worker %pid
	END
}

# four_workers [GLOBAL-LINE]
four_workers() {
	cat <<-END
		nbproc 4
		${1:-}
	defaults
		mode http
		timeout client 10m
		timeout http-request 10m
		backlog 4096
	END
}

clients() {
	say "## $1"
	what=$1
	shift
	python3 "${0%.sh}.py" "$what" "$pid" "$stats" "$@" || failures=$((failures + 1))
}

{
	four_workers
	frontend wide "$front"
	frontend limited "$limited" "" "maxconn 40"
	frontend lines "$lines" "maxconn 40"
	frontend slow "$slow" "" "rate-limit sessions 40"
} | config
start_penstock
clients spread "$front"
clients limits "$limited" "$lines" "$slow"
stop_penstock

for limit in "maxconn 40" "maxconnrate 40" "maxsessrate 40"; do
	{
		four_workers "$limit"
		frontend limited "$limited"
	} | config
	start_penstock
	case $limit in
	"maxconn 40") clients global "$limited" ;;
	*) clients rate "$limited" ;;
	esac
	stop_penstock
done
finish
