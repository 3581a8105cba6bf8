#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Log lines with +json and +cbor are such, whatever clients send: each byte in targets, fields and
# captures, values longer than the line, targets of the log that take less, requests that are none,
# time-outs. All of them say the same.
. "${0%/*}/../lib.sh"

items='%(ip)ci %(port)cp %(status)ST %(bytes)B %(ms:sint)Ta %(how)tsc %(tls)[ssl_fc] %(no)[var(txn.no)]
%(big)[int(9223372036854775807)] %(id:str)rt %(raw)[var(txn.raw)] %(method)HM %(uri)HU %(r)r
%(agent)[capture.req.hdr(0)] %(hr)hr %(hrl)hrl'
items=$(say "$items" | tr '\n' ' ')
{
	http_defaults
	printf '\ttimeout http-request 200ms\n\toption accept-invalid-http-request\n'
	printf 'frontend fe\n\tbind %s\n' "$front"
	for way in all short least; do
		case $way in all) len=65535 ;; short) len=300 ;; least) len=80 ;; esac
		printf '\tlog unix@%s len %s format raw local0\n' "$dir/$way" "$len"
	done
	printf '\tlog unix@%s len 400 format rfc5424 local0\n\tlog ring@r len 1000 local0\n' "$dir/header"
	printf '\tcapture request header User-Agent len 4000\n'
	printf '\thttp-request set-var(txn.raw) req.hdr(x-raw),b64dec\n'
	printf '\thttp-request return status 200 content-type application/json lf-string "%%{+json}o %%(a)ci %%(b)[req.fhdr(user-agent)]"\n'
	printf '\tlog-format "%%{+json}o %s"\n' "$items"
	for way in hex bin; do
		[ $way = hex ] && flags=+cbor || flags=+cbor,+bin
		printf 'frontend %s\n\tbind unix@%s\n' $way "$dir/$way.sock"
		printf '\tlog unix@%s len 65535 format raw local0\n\tlog unix@%s len 200 format raw local0\n' \
			"$dir/$way" "$dir/$way.short"
		printf '\tcapture request header User-Agent len 4000\n'
		printf '\thttp-request set-var(txn.raw) req.hdr(x-raw),b64dec\n'
		printf '\thttp-request return status 200\n\tlog-format "%%{%s}o %s"\n' $flags "$items"
	done
	printf 'ring r\n\tformat iso\n\tmaxlen 250\n\tsize 1m\n'
} | config
start_penstock
driver "$srcdir/reg-tests/log/encoded.py"
[ $? -eq 0 ] || failures=1
finish
