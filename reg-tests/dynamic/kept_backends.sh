#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Added backends over a reload: "added-servers keep" of their defaults section keeps them, with
# servers, published or not as before; without the word they are gone. No request fails. Backends of
# the file stay published or not, and "be-unpublished" begins so.
. "${0%/*}/../lib.sh"

http_config "nbproc 2" <<END
defaults kept
	mode http
	timeout connect 30s
	timeout server 2m
	balance leastconn
	added-servers keep
defaults lost
	mode http
	timeout connect 30s
	timeout server 2m
frontend fe
	mode http
	timeout client 2m
	bind $front
	use_backend %[path,field(2,/)]
backend fixed from kept
	server s $back
backend later from kept
	be-unpublished
	server s $back
END
start_workers
own_driver
finish
