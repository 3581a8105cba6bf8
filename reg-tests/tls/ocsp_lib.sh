# SPDX-License-Identifier: BSD-2-Clause
# Sourced by the tests of OCSP behind lib.sh: an authority ($dir/ca.pem, ca.key), certificates of
# it, and what workers staple.

"$PENSTOCK" -vv | grep -q '+OPENSSL' || exit 77
key="-nodes -newkey ec -pkeyopt ec_paramgen_curve:P-256"
openssl req -x509 $key -days 30 -subj "/CN=An authority" -keyout "$dir/ca.key" -out "$dir/ca.pem" \
	2>/dev/null || exit 77
later=$(date -u -d '+20 days' +%y%m%d%H%M%SZ)

# issued NAME SERIAL EXTENSIONS: $dir/NAME.crt, NAME.key, and NAME.pem with both and the authority.
# SERIAL is hexadecimal, EXTENSIONS a file.
issued() {
	openssl req $key -subj "/CN=localhost" -keyout "$dir/$1.key" -out "$dir/csr" 2>/dev/null &&
		openssl x509 -req -in "$dir/csr" -CA "$dir/ca.pem" -CAkey "$dir/ca.key" -days 20 \
			-set_serial "0x$2" -extfile "$3" -out "$dir/$1.crt" 2>/dev/null
	cat "$dir/$1.crt" "$dir/$1.key" "$dir/ca.pem" >"$dir/$1.pem"
}

# both ADDRESS TEXT: each of two workers says it to the client that asks for its status. Their
# answers begin with "worker" and a number.
both() {
	tries=0 met=
	while [ "$tries" -lt 400 ] && [ "$(printf '%s\n' $met | sort -u | wc -l)" -lt 2 ]; do
		tries=$((tries + 1))
		printf 'GET / HTTP/1.0\r\n\r\n' | timeout 60 openssl s_client -connect "$1" -status \
			-ign_eof >"$dir/said" 2>&1
		grep -q "$2" "$dir/said" || return 1
		met="$met $(sed -n 's/^worker //p' "$dir/said")"
	done
	[ "$tries" -lt 400 ]
}
