#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Certificates of clients: who is asked for one (verify), whose is accepted (ca-file as a file and
# as a folder, ca-verify-file, crl-file, the lists of errors to ignore), which names of authorities
# are told; for a bind line and for one line of a crt-list.
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"

authority ca
authority other
signed site ca www.example.com
signed friend ca friend.example.com
signed revoked ca revoked.example.com
signed stranger other stranger.example.com
revoke() { # NAME: ca.crl, the list of ca, with it
	mkdir -p "$certs/db" && : >"$certs/db/index"
	cat >"$certs/db/conf" <<END
[ca]
default_ca = ca_default
[ca_default]
database = $certs/db/index
default_md = sha256
default_crl_days = 30
END
	set -- -config "$certs/db/conf" -keyfile "$certs/ca.key" -cert "$certs/ca.pem" "$1"
	openssl ca "$1" "$2" "$3" "$4" "$5" "$6" -revoke "$certs/$7.crt" 2>/dev/null &&
		openssl ca "$1" "$2" "$3" "$4" "$5" "$6" -gencrl -out "$certs/ca.crl" 2>/dev/null
}
revoke revoked || fail "openssl ca"
mkdir "$certs/folder" && cp "$certs/ca.pem" "$certs/folder/ca.crt" && cp "$certs/other.pem" "$certs/folder/other.cer"
echo nonsense >"$certs/folder/README"
printf '%s\n' "$certs/site.pem" "$certs/site.pem [verify required ca-file $certs/ca.pem] asked.example.com" >"$certs/list"

kinds="none optional required folder revoking forgiving ignoring quiet apart list"
for kind in $kinds; do eval "$kind=127.0.0.1:\$(ports 1)"; done
line() { eval "printf '\tbind %s ssl crt %s name %s %s\n' \$$1 $certs/site.pem $1 \"\$2\""; }
config <<END
defaults d
	mode http
	timeout client 1m
	http-request return status 200 content-type text/plain lf-string "used %[ssl_c_used] verify %[ssl_c_verify] as %[ssl_c_s_dn(cn)]\n"
frontend f
$(line none "")
$(line optional "verify optional ca-file $certs/ca.pem")
$(line required "verify required ca-file $certs/ca.pem")
$(line folder "verify required ca-file $certs/folder")
$(line revoking "verify required ca-file $certs/ca.pem crl-file $certs/ca.crl")
$(line forgiving "verify required ca-file $certs/ca.pem crl-file $certs/ca.crl crt-ignore-err 23")
$(line ignoring "verify optional ca-file $certs/ca.pem ca-ignore-err all crt-ignore-err all")
$(line quiet "verify required ca-file $certs/ca.pem no-ca-names")
$(line apart "verify required ca-file $certs/other.pem ca-verify-file $certs/ca.pem")
	bind $list ssl crt-list $certs/list
END
start_penstock

# said KIND [NAME] [OPTIONS OF s_client]: the answer to a request with that client certificate.
said() {
	eval "front=\$$1" && who=$2 && shift 2
	[ -z "$who" ] || set -- -cert "$certs/$who.crt" -key "$certs/$who.key" "$@"
	printf 'GET / HTTP/1.0\r\n\r\n' |
		timeout 60 openssl s_client -connect "$front" -ign_eof "$@" >"$dir/said" 2>&1
	grep '^used' "$dir/said" || echo refused
}
is() { # EXPECTED KIND NAME OPTIONS
	expected=$1
	shift
	got=$(said "$@")
	check "$*: $expected" test "$got" = "$expected"
	[ "$got" = "$expected" ] || { echo "instead: $got"; tail -20 "$dir/said"; }
}
for version in -tls1_2 -tls1_3; do
	is "used 0 verify 0 as " none friend $version
	is "used 0 verify 0 as " optional "" $version
	is "used 1 verify 0 as friend" optional friend $version
	is refused optional stranger $version
	is refused required "" $version
	is "used 1 verify 0 as friend" required friend $version
	is refused required stranger $version
	is "used 1 verify 0 as stranger" folder stranger $version
	is refused folder "" $version
	is "used 1 verify 0 as friend" revoking friend $version
	is refused revoking revoked $version
	is "used 1 verify 23 as revoked" forgiving revoked $version
	is refused forgiving stranger $version
	is "used 0 verify 0 as " ignoring "" $version
	is "used 1 verify 0 as friend" apart friend $version
	is "used 0 verify 0 as " list friend $version -servername www.example.com
	is refused list "" $version -servername asked.example.com
	is "used 1 verify 0 as friend" list friend $version -servername asked.example.com
done
is "used 1 verify 21 as stranger" ignoring stranger

names() { said "$@" >/dev/null; sed -n '/^Acceptable client/,/^Req/p' "$dir/said" | sed -n 's/^CN = //p' | tr '\n' ' '; }
check "the authority is told" test "$(names required friend)" = "ca "
check "no-ca-names: it is not" test -z "$(names quiet friend)"
check "ca-verify-file: only those of ca-file are" test "$(names apart friend)" = "other "
finish
