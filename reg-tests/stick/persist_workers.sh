#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Persistence by stick tables with two workers: what one learns the other knows; over a reload that
# numbers servers anew, and the death of a worker; with backends that are named at run time, clients
# of HTTP/2, keys of all types, a full table.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || exit 77
set -- $(ports 5)
h2=127.0.0.1:$1 bytes=127.0.0.1:$2 s1=127.0.0.1:$3 s2=127.0.0.1:$4 s3=127.0.0.1:$5

# configuration SERVERS-OF-APP: lines
configuration() {
	printf '\tnbproc 2\n'
	http_defaults
	cat <<-END
	frontend fe
		bind $front
		bind $h2 proto h2
		use_backend %[req.hdr(x-backend)] if { req.hdr(x-backend) -m found }
		default_backend app
	frontend bytes
		mode tcp
		bind $bytes
		tcp-request inspect-delay 30s
		tcp-request content accept if { req.len gt 4 }
		default_backend bytes
	backend app
		stick-table type string len 300 size 10k expire 1h
		stick match req.cook(SID)
		stick match req.hdr(x-key)
		stick store-request req.hdr(x-key)
		stick store-response res.cook(SID)
		default-server non-stick
	$1
	backend numbers
		stick-table type integer size 100 expire 1h
		stick on req.hdr(x-number)
		server s1 $s1
		server s2 $s2
	backend full
		stick-table type integer size 2 expire 1h nopurge
		stick on req.hdr(x-number)
		server s1 $s1
		server s2 $s2
	backend bytes
		mode tcp
		stick-table type binary len 4 size 100 expire 1h
		stick on req.payload_lv(0,1)
		server s1 $s1
		server s2 $s2
	END
}

configuration "	server s1 $s1 stick
	server s2 $s2 stick
	server s3 $s3 stick" | config
start_workers
driver "${0%/*}/persist_workers.py" --h2 "$h2" --bytes "$bytes" --servers "$s1,$s2,$s3"
check "two workers tie clients to servers" test $? -eq 0
finish
