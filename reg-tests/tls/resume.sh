#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A TLS session is resumed by each of four workers, also by those of the next generation: in tickets
# (keys of our own, and of a file) and in the cache (no-tls-tickets), with TLS 1.2 and 1.3.
. "${0%/*}/../lib.sh"

"$PENSTOCK" -vv | grep -q '+OPENSSL' || exit 77
openssl req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:P-256 -days 30 -subj /CN=localhost \
	-keyout "$dir/key" -out "$dir/crt" 2>/dev/null || exit 77
cat "$dir/crt" "$dir/key" >"$dir/pem"
for i in 1 2 3; do openssl rand -base64 80 | tr -d '\n'; echo; done >"$dir/keys"
tickets=127.0.0.1:$(ports 1)
file=127.0.0.1:$(ports 1)
cache=127.0.0.1:$(ports 1)
config <<END
	nbproc 4
	tune.ssl.cachesize 1000
	tune.ssl.lifetime 1h
defaults d
	mode http
	timeout client 2m
	http-request return status 200 content-type text/plain lf-string "worker %[proc]\n"
frontend tickets
	bind $tickets ssl crt $dir/pem
frontend file
	bind $file ssl crt $dir/pem tls-ticket-keys $dir/keys
frontend cache
	bind $cache ssl crt $dir/pem no-tls-tickets
END
start_workers

# visit ADDRESS VERSION OPTIONS: a request; what the client says goes to $dir/said.
visit() {
	to=$1 version=$2
	shift 2
	printf 'GET / HTTP/1.0\r\n\r\n' | timeout 60 openssl s_client -connect "$to" "-$version" \
		-ign_eof "$@" >"$dir/said" 2>&1
}

# everywhere NAME VERSION SESSION: each worker resumes it, and none refuses.
everywhere() {
	eval "where=\$$1"
	tries=0 met=
	while [ "$tries" -lt 400 ] && [ "$(printf '%s\n' $met | sort -u | wc -l)" -lt 4 ]; do
		tries=$((tries + 1))
		visit "$where" "$2" -sess_in "$3"
		grep -q '^Reused' "$dir/said" || { cat "$dir/said"; return 1; }
		met="$met $(sed -n 's/^worker //p' "$dir/said")"
	done
	[ "$tries" -lt 400 ]
}

first() {
	eval "where=\$$1"
	visit "$where" "$2" -sess_out "$dir/$1.$2" && grep -q '^New' "$dir/said"
}

for kind in tickets file cache; do
	for version in tls1_2 tls1_3; do
		check "$kind, $version: a session" first $kind $version
		check "$kind, $version: all workers resume it" everywhere $kind $version \
			"$dir/$kind.$version"
	done
done
check "reloaded" "$tool" -s "$parent" ask reload
for kind in tickets file cache; do
	for version in tls1_2 tls1_3; do
		check "$kind, $version: all new workers resume it" everywhere $kind $version \
			"$dir/$kind.$version"
	done
done
finish
