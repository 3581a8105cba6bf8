#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Which versions of TLS a bind line speaks: force-*, no-*, ssl-min-ver, ssl-max-ver; what a crt-list
# line can take back (no-alpn); how large records are; global words that a running service shows.
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"

authority ca
signed site ca www.example.com
printf '%s\n' "$certs/site.pem" "$certs/site.pem [no-alpn] quiet.example.com" >"$certs/list"
head -c 16000 /dev/zero | tr '\0' x >"$certs/body"
kinds="v10 v11 v12 v13 upper lower list short"
for kind in $kinds; do eval "$kind=127.0.0.1:\$(ports 1)"; done
old="ssl crt $certs/site.pem ciphers DEFAULT@SECLEVEL=0"
serve() {
	{
		printf '\tssl-default-bind-sigalgs ECDSA+SHA256:RSA+SHA256:ECDSA+SHA1:ECDSA+SHA512\n'
		printf '\tssl-default-bind-client-sigalgs ECDSA+SHA256:RSA+SHA256\n'
		printf '\tssl-propquery provider=default\n\tssl-provider-path %s\n' "$certs"
		printf '\tmaxsslrate 1000\n\ttune.ssl.ssl-ctx-cache-size 10\n\ttune.idletimer 1s\n'
		printf "$1"
		printf 'defaults d\n\tmode http\n\ttimeout client 1m\n'
		printf '\thttp-request return status 200 content-type text/plain file %s\n' "$certs/body"
		printf 'frontend f\n'
		printf '\tbind %s force-tlsv10 %s\n' "$v10" "$old"
		printf '\tbind %s force-tlsv11 %s\n' "$v11" "$old"
		printf '\tbind %s force-tlsv12 %s\n' "$v12" "$old"
		printf '\tbind %s force-tlsv13 %s\n' "$v13" "$old"
		printf '\tbind %s no-sslv3 no-tlsv10 no-tlsv11 no-tlsv12 %s\n' "$upper" "$old"
		printf '\tbind %s ssl-min-ver TLSv1.1 ssl-max-ver TLSv1.2 %s\n' "$lower" "$old"
		printf '\tbind %s ssl crt-list %s alpn http/1.1\n' "$list" "$certs/list"
		printf '\tbind %s ssl crt %s no-alpn\n' "$short" "$certs/site.pem"
	} | config
	start_penstock
}

# speaks ADDRESS: the versions it does.
speaks() {
	for version in tls1 tls1_1 tls1_2 tls1_3; do
		echo | timeout 60 openssl s_client -connect "$1" "-$version" -cipher DEFAULT@SECLEVEL=0 2>/dev/null |
			grep -q '^New, TLS' && printf '%s ' "$version"
	done
}
versions() { # KIND EXPECTED
	eval "at=\$$1"
	said=$(speaks "$at")
	check "$1: $said" test "$said" = "$2 "
}
agreed() { # NAME
	echo | timeout 60 openssl s_client -connect "$list" -servername "$1" -alpn http/1.1 2>/dev/null | grep -c '^ALPN protocol: http/1.1'
}
# longest ADDRESS: bytes of the longest record with data that the server sends.
longest() {
	printf 'GET / HTTP/1.0\r\n\r\n' | timeout 60 openssl s_client -connect "$1" -tls1_2 -ign_eof -msg 2>/dev/null |
		awk '/^<<< .*RecordHeader/ { getline; if ($1 == "17") print $4 $5 }' |
		while read -r hex; do printf '%d\n' "0x$hex"; done | sort -n | tail -n 1
}

serve ""
versions v10 tls1
versions v11 tls1_1
versions v12 tls1_2
versions v13 tls1_3
versions upper tls1_3
versions lower "tls1_1 tls1_2"
check "ALPN of the line" test "$(agreed www.example.com)" -eq 1
check "no-alpn of a name" test "$(agreed quiet.example.com)" -eq 0
exactly SslRateLimit 1000
check "records of full size" test "$(longest "$short")" -gt 15000
stop_penstock
serve '\ttune.ssl.hard-maxrecord 1000\n'
size=$(longest "$short")
check "records of at most 1000 bytes, and what wraps them: $size" test "$size" -gt 900 -a "$size" -le 1100
stop_penstock
serve '\ttune.ssl.maxrecord 2000\n'
size=$(longest "$short")
check "records of at most 2000 bytes at the beginning: $size" test "$size" -gt 1900
stop_penstock
finish
