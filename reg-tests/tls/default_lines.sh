#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Of several global sections ssl-default-bind-* and ssl-default-server-* hold for the lines below
# them.
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"

authority ca
signed leaf ca a.example
old=$(ports 1) new=$(ports 1) plain=$(ports 1) strict=$(ports 1)
cat >"$dir/body" <<END
defaults
	mode http
	timeout client 1m
	timeout connect 1m
	timeout server 1m
frontend old
	bind 127.0.0.1:$old ssl crt $certs/leaf.pem
	http-request return status 200 hdr version %[ssl_fc_protocol]
listen plain
	bind 127.0.0.1:$plain
	server s 127.0.0.1:$old ssl verify none
global
	ssl-default-bind-options ssl-min-ver TLSv1.3 ssl-max-ver TLSv1.3
	ssl-default-server-options ssl-min-ver TLSv1.3
frontend new
	bind 127.0.0.1:$new ssl crt $certs/leaf.pem
	http-request return status 200
listen strict
	bind 127.0.0.1:$strict
	server s 127.0.0.1:$old ssl verify none
END
printf '\tssl-default-bind-options ssl-max-ver TLSv1.2\n' | cat - "$dir/body" | config
start_penstock
speaks() {
	openssl s_client -connect "127.0.0.1:$1" "$2" </dev/null 2>/dev/null | grep -q "^New, TLS"
}
silent() { ! speaks "$@"; }
get() { curl -s -o /dev/null -D - "http://127.0.0.1:$1/" | tr -d '\r' | grep -i "$2"; }
check "the line above the second section has the first one's versions" speaks "$old" -tls1_2
check "it has none of the second one's" silent "$old" -tls1_3
check "the line below has those of the second" speaks "$new" -tls1_3
check "it does not go back" silent "$new" -tls1_2
check "a server above is reached with TLS 1.2" get "$plain" "version: TLSv1.2"
check "a server below is not" get "$strict" "HTTP/1.1 503"
finish
