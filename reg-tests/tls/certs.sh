# SPDX-License-Identifier: BSD-2-Clause
# Sourced by the scripts of reg-tests/tls behind lib.sh: certificates made on the spot in $certs.
#
#   authority ca                     # ca.pem (certificate), ca.key
#   signed site ca www.example.com   # site.crt, site.key, site.pem (both), for that name, signed by ca
#   served www.example.com           # the subject of the certificate that $front shows for the name
#   start_site                       # a penstock that answers by itself, as www.example.com

command -v openssl >/dev/null || { say "no openssl program"; exit 77; }
"$PENSTOCK" help "crt-base" >/dev/null 2>&1 || { say "this build has no TLS"; exit 77; }
certs=$dir/certs
mkdir "$certs"

key() { # FILE [rsa]
	if [ "${2:-}" = rsa ]; then
		openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out "$1" 2>/dev/null
	else
		openssl ecparam -name prime256v1 -genkey -noout -out "$1"
	fi
}

authority() { # NAME [rsa]
	key "$certs/$1.key" "${2:-}"
	openssl req -x509 -key "$certs/$1.key" -days 30 -subj "/CN=$1" -out "$certs/$1.pem"
}

signed() { # NAME AUTHORITY DNS-NAME [rsa]
	key "$certs/$1.key" "${4:-}"
	printf 'subjectAltName=DNS:%s\n' "$3" >"$certs/ext"
	openssl req -new -key "$certs/$1.key" -subj "/CN=$1" -out "$certs/csr" &&
		openssl x509 -req -in "$certs/csr" -CA "$certs/$2.pem" -CAkey "$certs/$2.key" -days 30 \
			-set_serial "0x$(openssl rand -hex 8)" -extfile "$certs/ext" \
			-out "$certs/$1.crt" 2>/dev/null
	cat "$certs/$1.crt" "$certs/$1.key" >"$certs/$1.pem"
	rm "$certs/csr" "$certs/ext"
}

# by AUTHORITY OPTIONS...: what "openssl ca" does: dates of one's choice, revocations, lists of
# them.
by() {
	[ -d "$certs/db" ] || {
		mkdir "$certs/db" && : >"$certs/db/index"
		cat >"$certs/db/conf" <<-END
		[ca]
		default_ca = c
		[c]
		database = $certs/db/index
		new_certs_dir = $certs/db
		rand_serial = yes
		default_md = sha256
		default_crl_days = 30
		policy = p
		unique_subject = no
		[p]
		commonName = supplied
		END
	}
	issuer=$certs/$1
	shift
	openssl ca -batch -config "$certs/db/conf" -keyfile "$issuer.key" -cert "$issuer.pem" "$@" 2>/dev/null
}

# hello NAME [OPTIONS OF s_client]: what s_client says of a handshake.
hello() {
	name=$1
	shift
	timeout 60 openssl s_client -connect "$front" -servername "$name" "$@" </dev/null 2>/dev/null
}
served() { hello "$@" | sed -n 's/^subject=.*CN = //p'; }

start_site() {
	authority ca
	signed site ca www.example.com
	config <<-END
	defaults d
		mode http
		timeout client 1m
		http-request return status 200
	frontend f
		bind $front ssl crt $certs/site.pem
	END
	start_penstock
}
