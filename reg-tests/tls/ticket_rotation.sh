#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Keys of tickets that are our own are replaced when their hour is over, also while the parent waits
# after a reload that has failed; what the file of a reload that failed does not name is not
# forgotten. The hour is made over by writing the moment of the last key into what the parent has
# noted.
. "${0%/*}/../lib.sh"

"$PENSTOCK" -vv | grep -q '+OPENSSL' || exit 77
openssl req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:P-256 -days 30 -subj /CN=localhost \
	-keyout "$dir/key" -out "$dir/crt" 2>/dev/null || exit 77
cat "$dir/crt" "$dir/key" >"$dir/pem"
for i in 1 2 3; do openssl rand -base64 48; done >"$dir/keys"
filed=127.0.0.1:$(ports 1)
config <<END
	nbproc 2
defaults
	mode http
	timeout client 2m
frontend own
	bind $front ssl crt $dir/pem
	http-request return status 200
frontend filed
	bind $filed ssl crt $dir/pem tls-ticket-keys $dir/keys
	http-request return status 200
END
start_workers
cp "$dir/cfg" "$dir/good"
note=
for fd in /proc/"$pid"/fd/*; do
	case $(readlink "$fd") in *penstock-tickets*) note=$fd ;; esac
done
[ -n "$note" ] && [ -w "$note" ] || exit 77

reload() { "$tool" -s "$parent" ask reload | grep -q "Success=$1"; }
# In all: "", or the keys that all processes have.
common() {
	one=$("$tool" -s "$parent" ask "@1 show tls-keys *" | grep '^[0-9]')
	two=$("$tool" -s "$parent" ask "@2 show tls-keys *" | grep '^[0-9]')
	[ "$one" != "$two" ] || printf '%s' "$one"
}
changed() {
	now=$(common)
	[ -n "$now" ] && [ "$now" != "$before" ]
}
# Behind the first page the record of the keys without a name: 1024 bytes of it, two numbers, the
# moment.
age() {
	python3 - "$note" <<'PY'
import re
import sys

with open(sys.argv[1], "r+b", buffering=0) as f:
    data = f.read()[4096:]
    size = len(data) // 2
    at = 0 if data[:1] == b"\0" else size
    f.seek(4096 + at + 1032)
    f.write(bytes(8))
PY
}

before=$(common)
check "there are two sets" test "$(printf '%s\n' "$before" | wc -l)" -eq 6
age
check "reloaded" reload 1
check "their hour is over: another key" until_true 60 changed
before=$(common)
age
sed "s,^defaults,\tchroot /nonexistent/folder\n&," "$dir/good" >"$dir/cfg"
check "a reload fails, its workers do not start" reload 0
check "another key, from the parent that waits" until_true 60 changed
before=$(common)
age
printf 'defaults\n\tmode http\n\ttimeout client 2m\nfrontend own\n\tbind %s\n\tbind unix@/nonexistent/folder/socket\n' "$front" |
	config
check "another one fails, without TLS" reload 0
check "another key" until_true 60 changed
before=$(common)
cp "$dir/good" "$dir/cfg"
check "a good one" reload 1
same() { [ "$(common)" = "$before" ]; }
check "has the same keys" until_true 60 same
finish
