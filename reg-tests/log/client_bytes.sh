#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Each byte in each field that clients control, lines as JSON and as text: server names and
# certificates of TLS with real handshakes, user names, parameters, cookies, names of fields, what a
# PROXY header brings, fields of HTTP/2, what brings no request. A strict parser takes each line; no
# byte of a client ends one.
. "${0%/*}/../lib.sh"
if ! command -v openssl >/dev/null || "$PENSTOCK" -vv | grep -q "Built without OpenSSL"; then
	say "no TLS: not tried"
	exit 77
fi
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=site.test" \
	-keyout "$dir/site.key" -out "$dir/site.crt" 2>/dev/null
cat "$dir/site.crt" "$dir/site.key" >"$dir/site.pem"

set -- $(ports 4)
clear_at=127.0.0.1:$1 tls_at=127.0.0.1:$2 strict_at=127.0.0.1:$3 tcp_at=127.0.0.1:$4
# NAME=FETCH of what rules keep for the line
kept='user=http_auth_user pass=http_auth_pass param=url_param(p) params=url_param(q) cookie=req.cook(c)
names=req.hdr_names host=req.hdr(host) odd=req.fhdr(x-odd) body=req.body base=base'
fields='%(authority)[fc_pp_authority] %(unique)[fc_pp_unique_id] %(method)HM %(path)HPO %(query)HQ %(version)HV'
fields="$fields %(r)r %(cc)CC %(hr)hr"
for one in $kept; do
	fields="$fields %(${one%%=*})[var(txn.${one%%=*})]"
done
plain=$(say "$fields" | sed 's/%([a-z]*)/%/g')
{
	http_defaults
	printf '\ttimeout http-request 10s\n\toption http-buffer-request\n'
	printf 'log-profile text\n\ton any format "%s"\n' "text $plain"
	for at in clear h2; do
		[ $at = clear ] && bind=$clear_at || bind=$front
		printf 'frontend %s\n\tbind %s' $at "$bind"
		[ $at = clear ] && printf ' accept-proxy\n\toption accept-invalid-http-request\n' || printf '\n'
		printf '\tlog unix@%s len 65535 format raw local0\n' "$dir/$at"
		printf '\tlog unix@%s len 65535 format raw profile text local0\n' "$dir/$at.text"
		printf '\tcapture request header X-Odd len 3000\n\tcapture cookie c len 60\n'
		for one in $kept; do
			printf '\thttp-request set-var(txn.%s) %s\n' "${one%%=*}" "${one#*=}"
		done
		printf '\thttp-request return status 200\n'
		printf '\tlog-format "%%{+json}o %s"\n' "$fields"
		printf '\terror-log-format "%%{+json}o %%(ip)ci %%(authority)[fc_pp_authority] %%(r)r %%(error)[fc_err]"\n'
	done
	printf 'log-profile names\n\ton any format "text %%[ssl_fc_sni] %%[ssl_c_s_dn]"\n'
	printf 'log-profile cert\n\ton any format "%%{+json}o %%(sni)[ssl_fc_sni] %%(dn)[ssl_c_s_dn] %%(cn)[ssl_c_s_dn(cn)]"\n'
	printf 'frontend tls\n\tbind %s ssl crt %s verify optional ca-file %s crt-ignore-err all ca-ignore-err all\n' \
		"$tls_at" "$dir/site.pem" "$dir/site.crt"
	printf '\tlog unix@%s len 65535 format raw local0\n' "$dir/tls"
	printf '\tlog unix@%s len 65535 format raw profile names local0\n' "$dir/tls.text"
	printf '\tlog unix@%s len 65535 format raw profile cert local0\n' "$dir/tls.cert"
	printf '\toption httpslog json\n\thttp-request return status 200\n'
	printf 'frontend strict\n\tbind %s ssl crt %s strict-sni\n' "$strict_at" "$dir/site.pem"
	printf '\tlog unix@%s len 65535 format raw local0\n\toption httpslog json\n\thttp-request return status 200\n' "$dir/strict"
	printf '\terror-log-format "%%{+json}o %%(ip)ci %%(sni)[ssl_fc_sni] %%(error)[ssl_fc_err_str]"\n'
	printf 'frontend tcp\n\tmode tcp\n\tbind %s\n\tlog unix@%s len 65535 format raw local0\n' "$tcp_at" "$dir/tcp"
	printf '\ttcp-request inspect-delay 10s\n\ttcp-request content set-var(sess.sni) req.ssl_sni\n'
	printf '\ttcp-request content reject if { req.ssl_hello_type 1 }\n'
	printf '\tlog-format "%%{+json}o %%(sni)[var(sess.sni)] %%(ms)Tt"\n'
} | config
start_penstock
driver "$srcdir/reg-tests/log/client_bytes.py" --clear "$clear_at" --tls "$tls_at" --strict "$strict_at" --tcp "$tcp_at"
[ $? -eq 0 ] || failures=1
finish
