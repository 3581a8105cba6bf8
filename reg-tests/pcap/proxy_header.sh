#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# PROXY headers leave in one segment with what follows: the client's first bytes in mode tcp, the head of
# a request in mode http.
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
done
finish
