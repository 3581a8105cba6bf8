#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# wrk and long spliced transfers find no failed request while the service reloads. With ROUNDS the
# reference's figures are printed beside, where it is installed.
# usage: reload_wrk.sh [ROUNDS [SECONDS-BETWEEN]]
. "${0%/*}/../lib.sh"

command -v wrk >/dev/null || exit 77
rounds=${1:-8}
pace=${2:-0.25}
small=127.0.0.1:$(ports 1)
ours=$PENSTOCK

cat >"$dir/origin" <<END
defaults
	mode http
	timeout client 2m
frontend origin
	bind $small
	http-request return status 200 content-type text/plain string "a small body, as of a health check"
END
"$ours" -db -f "$dir/origin" >"$dir/origin.log" 2>&1 &
children="$children $!"

# proxy WORD: so many processes or threads
proxy() {
	config <<-END
		$1 2
	$(http_defaults)
		option splice-response
	frontend fe
		bind $front
		use_backend long if { path /long }
		default_backend be
	backend be
		server s1 $small
	backend long
		server s1 $back
	END
}

judge() {
	python3 "$srcdir/reg-tests/process/reload_wrk.py" "${front%:*}" "${front#*:}" "${back#*:}" \
		"$parent" "$pid" "$rounds" "$pace"
}

proxy nbproc
start_workers
check "$rounds reloads: wrk finds nothing wrong" judge
stop_penstock

if [ $# -gt 0 ] && command -v haproxy >/dev/null; then
	say "## haproxy"
	proxy nbthread
	PENSTOCK=haproxy start_workers
	judge
	PENSTOCK=haproxy stop_penstock
fi
finish
