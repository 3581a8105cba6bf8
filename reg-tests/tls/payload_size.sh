#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Payloads of the stats socket may be as long as tune.bufsize, in all workers; one that is longer is
# refused with a sentence that names the limit, and what was begun before stays as it is.
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"

authority ca
signed site ca www.example.com
i=0
while [ "$i" -lt 100 ]; do # 60 kB and more
	i=$((i + 1))
	authority "many$i"
	cat "$certs/many$i.pem" >>"$certs/many"
	[ "$i" -gt 80 ] || cat "$certs/many$i.pem" >>"$certs/fits"
done
count=$(grep -c BEGIN "$certs/fits")
config <<END
	nbproc 2
	tune.bufsize 64k
frontend fe
	mode http
	timeout client 2m
	bind $front ssl crt $certs/site.pem ca-file $certs/ca.pem verify optional
	http-request return status 200
END
start_workers
file=$certs/ca.pem
command() { # COMMAND: read from a file, because it is long
	printf '%s\n' "$1" >"$dir/command"
	python3 - "$stats" "$dir/command" <<'PY'
import socket
import sys

s = socket.socket(socket.AF_UNIX)
s.settimeout(60)
s.connect(sys.argv[1])
try:
    s.sendall(open(sys.argv[2], "rb").read())
except OSError:
    pass  # it has heard enough
while data := s.recv(65536):
    sys.stdout.write(data.decode())
PY
}
set_to() { command "set ssl ca-file $file <<
$(cat "$1")
"; }
both() { # COMMAND TEXT: each worker says it
	for worker in 1 2; do
		"$tool" -s "$parent" ask "@$worker $1" | grep -qF -e "$2" || return 1
	done
}
check "40 kB of authorities at least" test "$(wc -c <"$certs/fits")" -gt 40000
set_to "$certs/fits" >"$dir/said"
check "they are set" grep -q 'transaction created' "$dir/said"
both_have() { both "show ssl ca-file" "$1$file - $count certificate(s)"; }
check "by both" until_true 60 both_have '*'
cat "$certs/many" "$certs/many" >"$certs/long"
set_to "$certs/long" >"$dir/said"
check "too many are refused" grep -q 'Command too long (with its payload more than 65536 bytes): it was not carried out. tune.bufsize' \
	"$dir/said"
check "what was set stays" until_true 60 both_have '*'
command "commit ssl ca-file $file" >"$dir/said"
check "and is committed" grep -q Success "$dir/said"
check "by both" until_true 60 both_have ''
finish
