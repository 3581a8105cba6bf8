#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Servers that fail in the handshake, each in a way of its own: how the exchange ends, how often it
# is tried, what the log says. One that trickles its answer byte by byte is none of them.
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"

authority ca
signed site ca www.example.com
for name in site closes hears alert text never trickles resets; do
	eval "at_$name=127.0.0.1:\$(ports 1)"
done
{
	cat <<END
	log ring@lines format raw local0
ring lines
	format raw
	size 100000
defaults d
	mode http
	log global
	option httplog
	timeout client 1m
	timeout connect 1m
	timeout server 1m
	retries 1
	option redispatch 1
frontend front
	bind $front
	use_backend %[req.hdr(to)]
defaults e from d
	no log
frontend site
	bind $at_site ssl crt $certs/site.pem
	http-request return status 200
END
	printf 'defaults f from d\n\tretries 0\n'
	for name in closes hears alert text trickles resets; do
		eval "printf 'backend %s\n\tserver s %s ssl ca-file $certs/ca.pem\n' \$name \$at_$name"
	done
	printf 'defaults g from d\n\tretries 0\n\ttimeout connect 3s\n'
	printf 'backend never\n\tserver s %s ssl ca-file %s\n' "$at_never" "$certs/ca.pem"
	printf 'defaults h from d\n\tbalance roundrobin\n'
	printf 'backend again\n\tserver s %s ssl ca-file %s\n' "$at_alert" "$certs/ca.pem"
	printf '\tserver s2 %s ssl ca-file %s\n' "$at_site" "$certs/ca.pem"
} | config

set --
for name in closes hears alert text never trickles resets; do eval "set -- \"\$@\" $name=\$at_$name"; done
python3 "${0%.sh}_servers.py" "$certs/site.pem" "$@" >"$dir/ready" 2>"$dir/servers.log" &
children="$children $!"
check "the servers listen" until_true 60 grep -q ready "$dir/ready"
start_penstock
python3 - "$front" <<'PY' || failures=$((failures + 1))
import sys
from service import check, finish
from visits import ask, connect, get

front = sys.argv[1]
for to in "closes", "hears", "alert", "text", "resets", "never":
    status, said, body = get(front, to)
    check(f"{to}: no connection", status == 503, (status, body))
conn = connect(front)
for i in range(3):
    status, said, body = ask(conn, "trickles")
    check("trickles: all of it comes", status == 200 and body == "hello", (status, body))
for i in range(4):
    status, said, body = get(front, "again")
    check("again: the other server answers", status == 200, (status, body))
finish()
PY
ask "show events lines" >"$dir/lines"
says() { check "$1: $2" grep -q "Server $1/s: TLS handshake failed: $2" "$dir/lines"; }
ends() { check "$1 ends as $2" grep -q " $1/s 0/0/-1/-1/[0-9]* 503 .* $2-- [0-9]*/1/0/0/0 " "$dir/lines"; }
# Whether a FIN or a RST is seen, where the server has not read the hello, is up to the kernel.
says closes "the server \(closed the connection without a word\|broke off\)"
says hears "the server closed the connection without a word"
says resets "the server broke off the connection in the handshake"
says alert "the peer finds no common way to speak TLS \[error:0A000410:"
says text "what the peer sent is not TLS \[error:0A00010B:"
says never "the server has not finished the handshake"
for name in closes hears resets alert text; do ends $name SC; done
ends never sC
[ "$failures" -eq 0 ] || cat "$dir/lines"
finish
