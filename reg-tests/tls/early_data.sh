#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Early data of clients (allow-0rtt): requests in them are forwarded and answered before the
# client's Finished, marked by Early-Data, seen by ssl_fc_has_early; rules wait for the handshake or
# refuse. In mode tcp as well, and by the lines of a crt-list. Without the word they are refused and
# sent anew.
. "${0%/*}/../lib.sh"
. "${0%/*}/early.sh"

tcp=127.0.0.1:$(ports 1)
list=127.0.0.1:$(ports 1)
small=127.0.0.1:$(ports 1)
cat >"$dir/list" <<END
$dir/pem [allow-0rtt] early.example.com
$dir/pem late.example.com
END
config <<END
defaults d
	mode http
	timeout connect 1m
	timeout client 2m
	timeout server 2m
frontend fe
	bind $front ssl crt $dir/pem allow-0rtt
	http-request set-header x-before %[ssl_fc_has_early]
	http-request deny deny_status 425 if { path_beg /deny } { ssl_fc_has_early }
	http-request wait-for-handshake if { path_beg /wait }
	http-request set-header x-now %[ssl_fc_has_early]
	http-request return status 200 content-type text/plain lf-string "early %[ssl_fc_has_early]" if { path_beg /own }
	use_backend again if { path_beg /again }
	default_backend be
frontend plain
	bind $back ssl crt $dir/pem
	default_backend be
frontend list
	bind $list ssl crt-list $dir/list strict-sni
	default_backend be
frontend tcp
	mode tcp
	bind $tcp ssl crt $dir/pem allow-0rtt
	default_backend tcp
backend be
	server s1 $origin
backend tcp
	mode tcp
	server s1 $origin
backend again
	retry-on 425
	server s1 $origin
END
start_penstock
early_test "$front" "$back" "$tcp" "$list"
finish
