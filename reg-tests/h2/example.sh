#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# examples/http2.cfg does what its first lines promise.
. "${0%/*}/../lib.sh"
. "${0%/*}/../tls/certs.sh"
command -v curl >/dev/null || { say "curl is not installed"; exit 77; }
curl --version | grep -q HTTP2 || { say "curl was built without HTTP/2"; exit 77; }

authority ca
signed site ca www.example.com
tls=127.0.0.1:$(ports 1)
export HTTP2_PORT="${front##*:}" HTTP2_TLS="${tls##*:}" HTTP2_SERVER="${back##*:}" HTTP2_CERT="$certs/site.pem"
# A server of HTTP/1.1 that says how it was asked.
python3 -c '
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        body = (self.request_version + " " + self.headers["X-Forwarded-Proto"]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()' "$HTTP2_SERVER" \
	>"$dir/server" 2>&1 &
children=$!
"$PENSTOCK" -db -f "$srcdir/examples/http2.cfg" >"$log" 2>&1 &
children="$children $!"
check "it serves" until_true 60 curl -s -f -o "$dir/out" "http://$front/"

# says WHAT EXPECTED ARGUMENTS...
says() {
	what=$1 expected=$2
	shift 2
	curl -s -S -m 60 -D "$dir/head" -o "$dir/out" -w '%{http_version} ' "$@" >"$dir/version" 2>&1
	got="$(cat "$dir/version")$(sed -n 's/^x-client-protocol: \([^\r]*\).*/\1/Ip' "$dir/head") $(cat "$dir/out")"
	check "$what: $got" test "$got" = "$expected"
}
site="--cacert $certs/ca.pem --resolve www.example.com:$HTTP2_TLS:127.0.0.1 https://www.example.com:$HTTP2_TLS/"
says "in clear" "1.1 HTTP/1 HTTP/1.1 http" "http://$front/"
says "by the preface" "2 HTTP/2 HTTP/1.1 http" --http2-prior-knowledge "http://$front/"
says "over TLS" "2 HTTP/2 HTTP/1.1 https" $site
says "for who speaks nothing else" "1.1 HTTP/1 HTTP/1.1 https" --http1.1 $site
check "a log line each" until_true 60 grep -q 'GET / HTTP/2.0' "$log"
[ "$failures" -eq 0 ]
