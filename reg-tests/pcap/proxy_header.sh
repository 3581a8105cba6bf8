#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# PROXY headers leave in one segment with what follows: the client's first bytes in mode tcp, the
# head of a request in mode http, and our ClientHello (a record of type 22) towards a server with
# TLS.
. "${0%/*}/../lib.sh"
own_network "$@"

bind_words=defer-accept
for way in tcp_proxy http_proxy; do
	for words in send-proxy send-proxy-v2 "send-proxy-v2-ssl proxy-v2-options crc32c,unique-id"; do
		say "## $way $words"
		{ $way "unique-id-format %pid-%ci-%cp" "$words"; } | config
		start_penstock
		wire proxy-header
		stop_penstock
	done
	"$PENSTOCK" help crt-base >/dev/null 2>&1 || continue
	say "## $way send-proxy-v2 ssl"
	$way "" "send-proxy-v2 ssl verify none" | config
	start_penstock
	wire proxy-header "$(printf '\026\003\001')"
	stop_penstock
done
finish
