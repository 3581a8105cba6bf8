#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# OpenSSL's server asks for new keys (KeyUpdate, RFC 8446 4.6.3) in the middle of a transfer in mode
# tcp, and while a connection in mode http is idle: nothing is lost, the idle connection stays and
# is used again. Other bytes that come on an idle connection close it.
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"

authority ca
signed site ca www.example.com
web=127.0.0.1:$(ports 1)
config <<END
defaults d
	timeout client 1m
	timeout connect 1m
	timeout server 1m
	default-server ssl ca-file $certs/ca.pem
listen bytes
	bind $front
	server s $back
listen web
	mode http
	http-reuse always
	bind $web
	server s $back pool-purge-delay 1m
END
start_penstock
python3 "${0%.sh}.py" "$front" "$web" "$back" "$certs/site" || failures=$((failures + 1))
finish
