#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Limits of frontends and of the program count what an old generation still has: maxconn of both,
# rate-limit sessions, maxconnrate, maxsessrate; also when a reload has failed behind the
# validation, and workers are replaced by the one from before.
. "${0%/*}/../lib.sh"

# service GLOBAL-LINE FRONTEND-LINE
service() {
	config <<-END
		nbproc 2
		$1
	$(http_defaults)
		option http-server-close
	frontend fe
		bind $front
		$2
		default_backend be
	backend be
		server s1 $back
	END
	start_workers
}

judge() {
	say "## $*"
	driver "${0%.sh}.py" "$@" ||
		failures=$((failures + 1))
	stop_penstock
}

service "" "maxconn 10"
judge places "maxconn of a frontend"
service "maxconn 10" ""
judge places "maxconn of all"
service "" "maxconn 10"
judge places_failed "maxconn of a frontend, a reload fails"
service "" "rate-limit sessions 40"
judge rate "rate-limit sessions"
service "maxconnrate 40" "rate-limit sessions 40"
judge rate_failed "rates, reloads fail"
service "maxconnrate 40" ""
judge rate maxconnrate
service "maxsessrate 40" ""
judge rate maxsessrate
finish
