#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# When the n-th allocation of an exchange fails, this exchange ends, with 500 or a broken connection
# and a log line that says R, or as if nothing had been; and the next one is served. For every n, of
# some forty exchanges. EACH=1 tries each n; else of many allocations some are left out.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
[ "$PENSTOCK" != haproxy ] || { say "the reference cannot fail at the n-th"; exit 77; }
tls=
if "$PENSTOCK" help crt-base >/dev/null 2>&1 && command -v openssl >/dev/null; then
	. "${0%/*}/../tls/certs.sh"
	authority ca && signed site ca www.example.com && tls=yes
fi
zip=
"$PENSTOCK" help compression >/dev/null 2>&1 && zip=yes
# nth: allocations are counted down in its first bytes.
head -c 8 /dev/zero >"$dir/nth"
set -- $(ports 4)
secure=127.0.0.1:$1 bytes=127.0.0.1:$2 logs=$3 upgraded=127.0.0.1:$4
printf 'HTTP/1.0 500 Sorry\r\nContent-Length: 6\r\n\r\nsorry\n' >"$dir/500.http"
printf 'x y\n' >"$dir/map"
{
	cat <<END
	expose-experimental-directives
	log 127.0.0.1:$logs local0
	${tls:+ssl-server-verify none}
defaults
	mode http
	log global
	option httpclose
	timeout connect 30s
	timeout client 30s
	timeout server 30s
	timeout tarpit 1ms
	log-format "{%ST %ts %[capture.req.uri] %[capture.req.hdr(0)]}"
frontend fe
	bind $front
	${tls:+bind $secure ssl crt $certs/site.pem}
	acl c path_beg /c/
	unique-id-format %{+X}o%ci:%cp_%rt
	unique-id-header X-Unique
	declare capture request len 64
	capture request header X-Long len 4000
	capture response header X-Long len 4000
	capture cookie S len 60
	option forwardfor
	http-request set-header X-A "%[req.hdr(x-long)]" if { path_beg /c/set-header }
	http-request add-header X-B "%[req.hdr(x-long),upper]" if { path_beg /c/add-header }
	http-request del-header X-Long -m beg if { path_beg /c/del-header }
	http-request replace-header X-Long (.*) <\1\1> if { path_beg /c/replace-header }
	http-request replace-value X-List ([a-z]) <\1\1> if { path_beg /c/replace-value }
	http-request set-method "OT%[str(HER)]" if { path_beg /c/set-method }
	http-request set-path "/%[req.hdr(x-long),lower]" if { path_beg /c/set-path }
	http-request set-pathq "/%[req.hdr(x-long),lower]?a" if { path_beg /c/set-pathq }
	http-request set-query "%[req.hdr(x-long),lower]" if { path_beg /c/set-query }
	http-request set-uri "http://host/%[req.hdr(x-long)]" if { path_beg /c/set-uri }
	http-request replace-path (.*) /x\1\1 if { path_beg /c/replace-path }
	http-request replace-uri (.*) http://y\1\1 if { path_beg /c/replace-uri }
	http-request capture req.hdr(x-long) id 0 if { path_beg /c/capture }
	http-request capture req.hdr(x-long) len 3000 if { path_beg /c/capture }
	http-request set-var(txn.v) req.hdr(x-long),concat(a),url_enc if { path_beg /c/var }
	http-request set-var-fmt(sess.v) "%[req.hdr(x-long)]%[var(txn.v)]" if { path_beg /c/var }
	http-request set-header X-V "%[var(sess.v),unset-var(sess.v)]" if { path_beg /c/var }
	http-request set-header X-J "%[req.hdr(x-long),json,base64,hex,lower]" if { path_beg /c/convert }
	http-request return status 200 content-type text/plain lf-string "%[req.hdr(x-long)]" hdr X-R "%[req.hdr(x-long)]" if { path_beg /c/return }
	http-request return status 200 file $dir/500.http content-type a/b if { path_beg /c/file }
	http-request deny deny_status 429 content-type text/plain lf-string "no %[req.hdr(x-long)]" if { path_beg /c/deny }
	http-request tarpit if { path_beg /c/tarpit }
	http-request auth realm "a \"b\"" if { path_beg /c/auth }
	http-request redirect location "/%[req.hdr(x-long)]" set-cookie A=b if { path_beg /c/redirect }
	http-request redirect prefix https://elsewhere drop-query if { path_beg /c/to-prefix }
	http-request early-hint Link "<%[req.hdr(x-long)]>" if { path_beg /c/hint }
	http-request wait-for-body time 30s if { path_beg /c/wait }
	http-request use-service prometheus-exporter if { path_beg /c/metrics }
	http-request set-map($dir/map) "%[req.hdr(x-long)]" "%[path]" if { path_beg /c/map }
	http-request set-header X-M "%[req.hdr(x-long),map_str($dir/map,none)]" if { path_beg /c/map }
	http-request normalize-uri path-merge-slashes if { path_beg /c/normalize }
	http-response set-header X-C "%[res.hdr(x-long)]" if { capture.req.uri -m beg /c/response }
	http-response replace-header X-Long (.*) <\1\1> if { capture.req.uri -m beg /c/response }
	http-response return status 203 content-type text/plain lf-string "%[res.hdr(x-long)]" if { capture.req.uri -m beg /c/answer }
	http-response set-status 204 if { capture.req.uri -m beg /c/bare }
	http-after-response set-header X-D "%[res.hdr(x-long)] %[capture.req.uri]" if { capture.req.uri -m beg /c/after }
	stats enable
	stats uri /c/stats
	use_backend zip if { path_beg /c/zip }
	use_backend cookie if { path_beg /c/cookie }
	use_backend prefix if { path_beg /c/prefixed }
	use_backend stick if { path_beg /c/stick }
	use_backend retry if { path_beg /c/retry }
	use_backend buffer if { path_beg /c/buffer }
	use_backend redir if { path_beg /c/redir-server }
	use_backend header if { path_beg /c/proxy-header }
	use_backend own500 if { path_beg /c/own500 }
	use_backend tls if { path_beg /c/to-tls }
	default_backend be
backend be
	server s $back
backend zip
	${zip:+compression algo gzip}
	${zip:+compression type text/plain}
	server s $back
backend cookie
	cookie S insert indirect nocache maxidle 1h
	server s $back cookie s1
backend prefix
	cookie S prefix
	server s $back cookie s1
backend stick
	stick-table type string len 5000 size 1k store gpc0
	stick on req.hdr(x-long)
	stick on path table bytes
	stick store-response res.hdr(x-long)
	server s $back
backend retry
	retry-on all-retryable-errors
	retries 3
	server s $back
backend buffer
	option http-buffer-request
	server s $back
backend redir
	server s $back redir http://other
backend header
	server s $back send-proxy-v2 proxy-v2-options unique-id
backend own500
	errorfile 500 $dir/500.http
	http-request set-header X-A "%[req.hdr(x-long)]"
	server s $back
backend tls
	http-request set-path /inner
	${tls:+server s $secure ssl verify none}
frontend bytes
	mode tcp
	bind $bytes
	log-format "{- %ts tcp -}"
	tcp-request inspect-delay 30s
	tcp-request content capture req.payload(0,20) len 20
	tcp-request content set-var(sess.p) req.payload(0,20)
	tcp-request content accept if { req.len gt 5 }
	default_backend bytes
backend bytes
	mode tcp
	stick-table type string size 1k
	stick on req.payload(0,5)
	server s $back
frontend upgraded
	mode tcp
	bind $upgraded
	tcp-request inspect-delay 30s
	tcp-request content switch-mode http if HTTP
	default_backend be
END
} | config
start_penstock -dMfail:"$dir/nth"
driver "$srcdir/reg-tests/http/no_memory.py" --nth "$dir/nth" --bytes "$bytes" --upgraded "$upgraded" \
	--logs "$logs" ${tls:+--tls "$secure"} ${zip:+--zip} ${EACH:+--each} ||
	fail "an exchange without memory"
stop_penstock

say "## two of a hundred allocations fail"
sed -i 's/^global/&\n\ttune.fail-alloc 2/' "$dir/cfg"
start_penstock -dMfail
driver "$srcdir/reg-tests/http/no_memory.py" --nth "$dir/nth" --bytes "$bytes" --upgraded "$upgraded" \
	--logs "$logs" ${tls:+--tls "$secure"} ${zip:+--zip} --random ||
	fail "exchanges while memory fails at random"
# Memory fails for the stats socket, too: an answer may not come.
counted() {
	value=$(info CumReq)
	test -n "$value"
}
until_true 60 counted
check "CumReq is $value, at least 200" test "${value:--1}" -ge 200
finish
