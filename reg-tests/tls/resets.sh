#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A connection with TLS that is reset in the middle of a response is not one that has ended: what
# was cut off does not look whole to the other side, nor in the log. One that ends by FIN alone has
# ended.
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"

authority ca
signed site ca www.example.com
plain=127.0.0.1:$(ports 1)
web=127.0.0.1:$(ports 1)
config <<END
	log ring@lines format raw local0
ring lines
	format raw
	size 100000
defaults d
	log global
	timeout client 1m
	timeout connect 1m
	timeout server 1m
listen http
	mode http
	bind $web
	log-format "http %ts"
	server s $back ssl verify none
listen server
	mode tcp
	bind $front
	log-format "server %ts"
	server s $back ssl verify none
listen client
	mode tcp
	bind $plain ssl crt $certs/site.pem
	log-format "client %ts"
	server s $back
END
start_penstock
python3 "${0%.sh}.py" "$web" "$front" "$plain" "$back" "$certs/site.pem" || failures=$((failures + 1))
noted() { [ "$(ask "show events lines" | grep -c -- "$1")" -eq "$2" ]; }
check "the log: a server's reset, and a FIN that may be one" until_true 60 noted "http SD" 2
check "... in mode tcp" until_true 60 noted "server SD" 1
check "... its FIN" until_true 60 noted "server --" 1
check "a client's reset" until_true 60 noted "client CD" 1
finish
