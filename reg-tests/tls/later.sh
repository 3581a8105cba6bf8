#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# TLS words of later versions: ssl_c_r_dn tells the root of a client's chain as HAProxy 2.8 does
# (which is asked, too, where it is at hand: $HAPROXY28), ssl_c_san its names; default-crt.
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"

authority root
authority stranger
# leaf NAME AUTHORITY SUBJECT EXTENSIONS
leaf() {
	key "$certs/$1.key"
	printf '%b\n' "$4" >"$certs/ext"
	openssl req -new -key "$certs/$1.key" -subj "$3" -out "$certs/csr" &&
		openssl x509 -req -in "$certs/csr" -CA "$certs/$2.pem" -CAkey "$certs/$2.key" -days 30 \
			-set_serial "0x$(openssl rand -hex 8)" -extfile "$certs/ext" -out "$certs/$1.crt" 2>/dev/null
	cat "$certs/$1.crt" "$certs/$1.key" >"$certs/$1.pem"
}
leaf middle root "/C=DE/O=Middle/CN=Middle CA" "basicConstraints=critical,CA:TRUE"
leaf friend middle "/O=A/CN=friend" "subjectAltName=DNS:a.example,IP:192.0.2.1,URI:http://x/,email:me@x.example"
leaf odd stranger "/C=FR/O=Nobody/CN=odd" "basicConstraints=CA:FALSE"
signed site root www.example.com
signed other root other.example.com
signed rsa root rsa.example.com rsa

roots='%[ssl_c_r_dn]|%[ssl_c_r_dn(CN)]|%[ssl_c_r_dn(CN,1)]|%[ssl_c_r_dn(O)]|%[ssl_c_r_dn(,0,rfc2253)]'
# tls_config ADDRESS FORMAT
tls_config() {
	printf 'defaults\n\tmode http\n\ttimeout client 1m\nfrontend f\n'
	printf '\tbind %s ssl crt %s ca-file %s verify optional crt-ignore-err all ca-ignore-err all\n' \
		"$1" "$certs/site.pem" "$certs/root.pem"
	printf '\thttp-request return status 200 content-type text/plain lf-string "<%s>\\n"\n' "$2"
}
# says OPTIONS...: the body of an answer.
says() {
	printf 'GET / HTTP/1.0\r\n\r\n' | timeout 60 openssl s_client -connect "$front" -ign_eof -quiet "$@" \
		2>/dev/null | tr -d '\r' | sed -n 's/^<\(.*\)>$/\1/p'
}
friend="-cert $certs/friend.crt -key $certs/friend.key -cert_chain $certs/middle.crt"
visits() {
	says $friend
	says -tls1_2 -sess_out "$certs/session" $friend
	says -tls1_2 -sess_in "$certs/session" $friend
	says -cert "$certs/odd.crt" -key "$certs/odd.key"
	says
}
tls_config "$front" "$roots" | config
start_penstock
visits >"$dir/ours"
root='/CN=root|root|root||CN=root'
own='/O=A/CN=friend|friend|friend|A|CN=friend,O=A'
odd='/C=FR/O=Nobody/CN=odd|odd|odd|Nobody|CN=odd,O=Nobody,C=FR'
# What stands between is forgotten by a session that is resumed.
printf '%s\n' "$root" "$root" "$own" "$odd" '||||' >"$dir/wanted"
check "the root of a chain; without one the certificate itself" \
	diff "$dir/wanted" "$dir/ours"
stop_penstock

if [ -x "${HAPROXY28:-}" ]; then
	tls_config "$front" "$roots" >"$dir/c28"
	"$HAPROXY28" -db -f "$dir/c28" >"$dir/log28" 2>&1 &
	other=$!
	children="$children $other"
	until_true 60 says -tls1_2
	visits >"$dir/theirs"
	kill "$other"
	wait "$other" 2>/dev/null
	sed -i 3d "$dir/theirs" "$dir/wanted" # the resumed one
	check "HAProxy 2.8 says the same" diff "$dir/wanted" "$dir/theirs"
fi

tls_config "$front" '%[ssl_c_san]' | config
start_penstock
check "the names of a certificate" test "$(says $friend)" = \
	"DNS:a.example, IP Address:192.0.2.1, URI:http://x/, email:me@x.example"
check "none without names" test -z "$(says -cert "$certs/odd.crt" -key "$certs/odd.key")"
stop_penstock

# default-crt WORDS OF THE BIND LINE
defaults_are() {
	printf 'defaults\n\tmode http\n\ttimeout client 1m\nfrontend f\n\tbind %s ssl %s\n\thttp-request return status 200\n' \
		"$front" "$1" | config
	start_penstock
}
defaults_are "crt $certs/site.pem default-crt $certs/rsa.pem crt $certs/other.pem"
check "the first certificate remains the default" test "$(served nobody.example)" = site
check "for clients that cannot verify it the word's is" \
	test "$(served nobody.example -tls1_2 -cipher ECDHE-RSA-AES128-GCM-SHA256)" = rsa
check "and no other" test "$(served nobody.example -tls1_2 -sigalgs RSA-PSS+SHA256)" = rsa
check "it is shown for its names" test "$(served rsa.example.com)" = rsa
check "others for theirs" test "$(served other.example.com)" = other
stop_penstock
defaults_are "default-crt $certs/other.pem default-crt $certs/rsa.pem crt $certs/site.pem"
check "it may be the first" test "$(served nobody.example)" = other
check "there may be several" test "$(served nobody.example -tls1_2 -sigalgs RSA-PSS+SHA256)" = rsa
stop_penstock
defaults_are "default-crt $certs/other.pem strict-sni"
check "strict-sni leaves no default" test -z "$(served nobody.example)"
stop_penstock
check "a file that is not there is an error" sh -c \
	"! printf 'frontend f\n\tbind :1 ssl default-crt $certs/none.pem\n' | '$PENSTOCK' -c -f /dev/stdin 2>/dev/null"
finish
