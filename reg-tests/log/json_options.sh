#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# `option httplog json`, `tcplog json` and `httpslog json`: each line is strict JSON with the
# members that doc/configuration.md names, whatever clients send and however it ends.
. "${0%/*}/../lib.sh"

set -- $(ports 5)
dead=127.0.0.1:$4 live=127.0.0.1:$5
http_at=127.0.0.1:$1 https_at=127.0.0.1:$2 tcp_at=127.0.0.1:$3
{
	http_defaults
	printf '\ttimeout http-request 200ms\n\tretries 0\n\toption accept-invalid-http-request\n'
	printf 'frontend http\n\tbind %s\n\tlog unix@%s len 65535 format raw local0\n' "$http_at" "$dir/http"
	printf '\toption httplog json\n'
	printf 'frontend https\n\tbind %s\n\tlog unix@%s len 65535 format raw local0\n' "$https_at" "$dir/https"
	printf '\toption httpslog json\n'
} | sed 's/^frontend http.*/&\
	capture request header User-Agent len 3000\
	capture request header X-B len 3000\
	capture response header X-C len 3000\
	capture cookie sid len 3000\
	http-request deny deny_status 403 if { path \/deny }\
	use_backend dead if { path_beg \/dead }\
	default_backend live/' >"$dir/fronts"
{
	cat "$dir/fronts"
	printf 'backend live\n\tserver s %s\nfrontend origin\n\tbind %s\n' "$live" "$live"
	printf '\thttp-request return status 200 hdr x-c "%%[req.fhdr(x-b)]" hdr set-cookie "sid=%%[req.fhdr(x-b)]"\n'
	printf 'backend dead\n\tserver s %s\n' "$dead"
	printf 'frontend tcp\n\tmode tcp\n\tbind %s\n\tlog unix@%s len 65535 format raw local0\n' "$tcp_at" "$dir/tcp"
	printf '\toption tcplog json\n\tdefault_backend tcp\nbackend tcp\n\tmode tcp\n\tserver s %s\n' "$dead"
} | config
start_penstock
driver "$srcdir/reg-tests/log/json_options.py" --manual "$srcdir/doc/configuration.md" \
	--http "$http_at" --https "$https_at" --tcp "$tcp_at"
[ $? -eq 0 ] || failures=1
finish
