#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Fetches of TLS connections and certificates say what openssl says of them, and, where haproxy 2.6
# is installed, for every one of fetches.txt and for every client the same as it.
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"

authority root
printf 'oid_section=oids\n[oids]\nour_oid=1.2.3.4.5\n[req]\ndistinguished_name=dn\nstring_mask=utf8only\n[dn]\n' >"$certs/req.cnf"
# leaf NAME AUTHORITY SUBJECT [EXTENSIONS]: signed, with a subject of any kind.
leaf() {
	key "$certs/$1.key" rsa
	printf '%s\n' "${4:-basicConstraints=CA:FALSE}" >"$certs/ext"
	openssl req -new -config "$certs/req.cnf" -utf8 -key "$certs/$1.key" -subj "$3" -out "$certs/csr" &&
		openssl x509 -req -in "$certs/csr" -CA "$certs/$2.pem" -CAkey "$certs/$2.key" -days 30 \
			-set_serial "0x00ff0$(openssl rand -hex 4)" -extfile "$certs/ext" \
			-out "$certs/$1.crt" 2>/dev/null
	cat "$certs/$1.crt" "$certs/$1.key" >"$certs/$1.pem"
}
leaf middle root "/C=DE/O=Middle/CN=Middle CA" "basicConstraints=critical,CA:TRUE"
cp "$certs/middle.crt" "$certs/middle.pem"
leaf friend middle '/C=FR/ST=Île/O=A, "quoted" one/OU=one/OU=two/OU=three/our_oid=odd/CN=friend/emailAddress=me@example.org'
signed site root www.example.com
signed origin root origin.example.com rsa
authority stranger

# programs_config ADDRESS ADDRESS: for both programs.
programs_config() {
	format=$(grep -v '^#' "$srcdir/reg-tests/tls/fetches.txt" | sed 's/.*/&=<%[&]>/' | tr '\n' '|')
	cat <<END
	tune.ssl.capture-buffer-size 900
	tune.ssl.keylog on
defaults
	mode http
	timeout connect 1m
	timeout client 1m
	timeout server 1m
frontend fe
	bind $1 ssl crt $certs/site.pem alpn http/1.1 ca-file $certs/root.pem verify optional crt-ignore-err all ca-ignore-err all no-tls-tickets
	log stdout len 65535 format raw daemon
	log-format "LINE|$format%sslv/%sslc %ft|secrets=%[ssl_fc_client_random,hex] %[ssl_fc_client_traffic_secret_0]"
	default_backend be
backend be
	server s1 $2 ssl verify none sni str(origin.example.com) no-ssl-reuse
frontend origin
	bind $2 ssl crt $certs/origin.pem alpn http/1.1
	http-request return status 200
END
}

# request OPTIONS OF s_client
request() {
	printf 'GET / HTTP/1.0\r\n\r\n' |
		timeout 60 openssl s_client -connect "$front" -ign_eof "$@" >"$dir/said" 2>&1
	grep -q '^HTTP/1.1 200' "$dir/said" || fail "no answer: s_client $*"
}
friend="-cert $certs/friend.crt -key $certs/friend.key"
# All clients, one after the other; their lines in FILE.
visits() {
	request -tls1_2
	request -tls1_3 -servername www.example.com -alpn http/1.1 -keylogfile "$dir/keys"
	# shellcheck disable=SC2086
	for version in -tls1_2 -tls1_3; do
		request $version $friend -cert_chain "$certs/middle.pem"
		request $version $friend
		request $version -cert "$certs/stranger.pem" -key "$certs/stranger.key"
	done
	# shellcheck disable=SC2086
	request -tls1_2 $friend -cert_chain "$certs/middle.pem" -sess_out "$dir/session"
	# shellcheck disable=SC2086
	request -tls1_2 $friend -cert_chain "$certs/middle.pem" -sess_in "$dir/session"
	until_true 60 sh -c 'test "$(grep -c "^LINE" "$1")" -eq 10' sh "$log" || fail "10 lines in the log"
	grep '^LINE' "$log" | tr '|' '\n' >"$1"
}
value() { sed -n "s/^$2=<\(.*\)>\$/\1/p" "$dir/ours" | sed -n "$1p"; }
is() { # LINE FETCH WANTED
	got=$(value "$1" "$2")
	check "$2 of client $1 is $3" test "$got" = "$3"
}

rm -f "$dir/keys"
programs_config "$front" "$back" | config
start_penstock
visits "$dir/ours"
stop_penstock
x509() { openssl x509 -in "$certs/$1.crt" -noout "$2" | sed 's/.*=//; s/://g'; }
is 1 ssl_fc_protocol TLSv1.2
is 2 ssl_fc_protocol TLSv1.3
is 2 ssl_fc_sni www.example.com
is 2 ssl_fc_alpn http/1.1
is 2 ssl_f_sha1,hex "$(x509 site -fingerprint)"
is 2 ssl_s_sha1,hex "$(x509 origin -fingerprint)"
is 3 ssl_c_sha1,hex "$(x509 friend -fingerprint)"
is 3 ssl_c_serial,hex "$(x509 friend -serial)"
is 3 'ssl_c_s_dn(OU,-1)' three
is 3 'ssl_c_s_dn(1.2.3.4.5)' odd
is 3 ssl_c_verify 0
is 4 ssl_c_err 20
is 5 ssl_c_err 18
is 9 ssl_fc_is_resumed 0
is 10 ssl_fc_is_resumed 1
is 10 ssl_fc_has_crt 0
is 10 ssl_c_used 1
is 10 ssl_f_sha1,hex "$(x509 site -fingerprint)"
secrets=$(sed -n 's/^secrets=//p' "$dir/ours" | sed -n 2p)
check "the secret is the client's" grep -qixF "CLIENT_TRAFFIC_SECRET_0 $secrets" "$dir/keys"

if command -v haproxy >/dev/null && haproxy -v | grep -q 'version 2\.6'; then
	{
		echo global
		programs_config "$front" "$back"
	} >"$dir/reference.cfg"
	haproxy -db -f "$dir/reference.cfg" >"$log" 2>&1 &
	children="$children $!"
	until_true 60 openssl s_client -connect "$back" </dev/null || fail "haproxy starts"
	visits "$dir/theirs"
	grep -v '^secrets=\|^LINE' "$dir/ours" >"$dir/a"
	grep -v '^secrets=\|^LINE' "$dir/theirs" >"$dir/b"
	diff "$dir/b" "$dir/a" | cut -c1-200
	check "$(wc -l <"$dir/a") values as haproxy has them" cmp -s "$dir/a" "$dir/b"
else
	say "no haproxy 2.6: not compared"
fi
finish
