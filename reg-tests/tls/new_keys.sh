#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Peers that make new keys (KeyUpdate) and ask for ours in the middle of a transfer in both
# directions at once: clients, servers, both; also where the kernel might have made the records
# (ktls), which it must not with TLS 1.3. Nothing is lost, and who asked for new keys gets some.
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"

authority ca
signed site ca www.example.com
set -- $(ports 8)
config <<END
defaults d
	mode tcp
	timeout client 2m
	timeout connect 1m
	timeout server 2m
	default-server ssl ca-file $certs/ca.pem
listen both
	bind 127.0.0.1:$1 ssl crt $certs/site.pem
	server s 127.0.0.1:$2
listen client
	bind 127.0.0.1:$3 ssl crt $certs/site.pem
	server s 127.0.0.1:$4 no-ssl
listen server
	bind 127.0.0.1:$5
	server s 127.0.0.1:$6
listen kernel
	option splice-auto
	bind 127.0.0.1:$7 ssl crt $certs/site.pem ktls on
	server s 127.0.0.1:$8 no-ssl
END
start_penstock
judge() { # SENTENCE WORDS OF newkeys
	sentence=$1
	shift
	check "$sentence" timeout 300 "$topbuild/reg-tests/tls/newkeys" "$@" "$certs/site.pem"
}
judge "client and server make new keys" "$1" "$2" tls tls
judge "the client does" "$3" "$4" tls plain
judge "the server does" "$5" "$6" plain tls
judge "new keys every 20 kB" -n 400000 -e 20000 "$1" "$2" tls tls
judge "the client does, with ktls on" "$7" "$8" tls plain
exactly KernelTlsConns 0
judge "TLS 1.2, with ktls on" -2 "$7" "$8" tls plain
[ -e /proc/net/tls_stat ] && exactly KernelTlsConns 1
finish
