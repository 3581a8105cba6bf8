#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A ticket key that is set on the stats socket is in force in all workers, and outlives a reload: a
# ticket is opened by each as long as its key is known, and by none afterwards.
. "${0%/*}/../lib.sh"

"$PENSTOCK" -vv | grep -q '+OPENSSL' || exit 77
openssl req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:P-256 -days 30 -subj /CN=localhost \
	-keyout "$dir/key" -out "$dir/crt" 2>/dev/null || exit 77
cat "$dir/crt" "$dir/key" >"$dir/pem"
key() { openssl rand -base64 "$1" | tr -d '\n'; }
for i in 1 2 3; do key 48; echo; done >"$dir/keys"
config <<END
	nbproc 4
	tune.ssl.lifetime 1h
frontend fe
	mode http
	timeout client 2m
	bind $front ssl crt $dir/pem tls-ticket-keys $dir/keys
	http-request return status 200 content-type text/plain lf-string "worker %[proc]\n"
END
start_workers

visit() {
	printf 'GET / HTTP/1.0\r\n\r\n' | timeout 60 openssl s_client -connect "$front" -tls1_2 \
		-ign_eof "$@" >"$dir/said" 2>&1
}

# all WORD: each of the four workers says it (New, Reused) to the ticket.
all() {
	tries=0 met=
	while [ "$tries" -lt 400 ] && [ "$(printf '%s\n' $met | sort -u | wc -l)" -lt 4 ]; do
		tries=$((tries + 1))
		visit -sess_in "$dir/session"
		grep -q "^$1" "$dir/said" || { cat "$dir/said"; return 1; }
		met="$met $(sed -n 's/^worker //p' "$dir/said")"
	done
	[ "$tries" -lt 400 ]
}
push() { ask "set ssl tls-key $dir/keys $(key 48)" | grep -q updated; }
keys() { ask "show tls-keys $dir/keys"; }
reload() { "$tool" -s "$parent" ask reload | grep -q Success=1; }

check "keys are those of the file" sh -c "
	printf '%s\n' '$(keys)' | sed -n 's/^0\.. //p' | cmp -s - '$dir/keys'"
visit -sess_out "$dir/session"
check "all resume" all Reused
check "a key is wrong" sh -c "'$tool' -s '$stats' ask 'set ssl tls-key #0 $(key 80)' | grep -q 'wrong size'"
check "a fresh key" push
check "all resume with the oldest" all Reused
before=$(keys)
check "reloaded" reload
check "the keys are the same" test "$before" = "$(keys)"
check "all still resume" all Reused
check "another key" push
check "none resumes: it is forgotten" until_true 20 all New # a worker may have read it late
for i in 1 2 3; do key 48; echo; done >"$dir/keys"
check "reloaded with another file" reload
# A worker of before may have taken the question that waits in its queue.
of_file() { keys | sed -n 's/^0\.. //p' | cmp -s - "$dir/keys"; }
check "the file wins" until_true 60 of_file
finish
