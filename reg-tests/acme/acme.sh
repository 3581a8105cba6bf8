# SPDX-License-Identifier: BSD-2-Clause
# Sourced by the scripts of reg-tests/acme, behind lib.sh and tls/certs.sh.

# acme_world: certificates of the authority's own server; what tests in Python need.
acme_world() {
	for program in python3 pebble pebble-challtestsrv; do
		command -v $program >/dev/null || { say "needs $program"; exit 77; }
	done
	authority ca
	key "$certs/directory.key"
	printf 'subjectAltName=IP:127.0.0.1\n' >"$certs/ext"
	openssl req -new -key "$certs/directory.key" -subj "/CN=directory" -out "$certs/csr" &&
		openssl x509 -req -in "$certs/csr" -CA "$certs/ca.pem" -CAkey "$certs/ca.key" \
			-days 30 -set_serial 2 -extfile "$certs/ext" -out "$certs/directory.crt" 2>/dev/null
}
