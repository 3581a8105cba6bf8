#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# maxsslconn and maxsslrate hold for the sum of four workers, and for bind lines with TLS alone. A
# connection to a server that would be one too many is refused with a sentence of its own.
. "${0%/*}/../lib.sh"

"$PENSTOCK" -vv | grep -q '+OPENSSL' || exit 77
openssl req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:P-256 -days 30 -subj /CN=localhost \
	-keyout "$dir/key" -out "$dir/crt" 2>/dev/null || exit 77
cat "$dir/crt" "$dir/key" >"$dir/pem"
to=127.0.0.1:$(ports 1)
config <<END
	nbproc 4
	maxsslconn 5
frontend fe
	mode http
	timeout client 2m
	bind $front ssl crt $dir/pem
	bind $back
	http-request return status 200
listen to
	mode http
	timeout client 2m
	timeout connect 2m
	timeout server 2m
	log ring@lines format raw local0
	option httplog
	bind $to
	server s $back ssl verify none
ring lines
	format raw
	size 100000
END
start_penstock
python3 "${0%.sh}.py" "$front" "$back" "$tool" "$stats" "$to" || fail "limits do not hold"
finish
