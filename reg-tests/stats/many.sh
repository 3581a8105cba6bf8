#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The page and the metrics of ten thousand servers: complete, in little memory however slowly they
# are read, and holding up nobody.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || exit 77
config <<END
defaults
	mode http
	timeout connect 5m
	timeout client 5m
	timeout server 5m
frontend fe
	bind $front
	stats uri /stats
	stats admin if TRUE
	http-request use-service prometheus-exporter if { path /metrics }
backend many
	server-template m 10000 127.0.0.1:9
END
start_penstock
python3 "$srcdir/reg-tests/stats/many.py" "$front" "$pid" "$(sanitized && echo sanitized)" ||
	fail "many servers"
finish
