#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A server of TLS that closes without close_notify, as many do: what its messages announce tells
# whether they are complete. A response that only the end of the connection ends passes as complete,
# but the log says SD, and a request of the program's own has failed. A client that ends its half
# like that, behind all it was sent, is told of the end of the other half.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null && python3 -c "import ssl" || { say "needs python3 with ssl"; exit 77; }
command -v openssl >/dev/null || { say "needs openssl"; exit 77; }
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=a \
	-keyout "$dir/a.key" -out "$dir/a.crt" 2>"$dir/req.log" || { cat "$dir/req.log"; exit 1; }
cat "$dir/a.crt" "$dir/a.key" >"$dir/a.pem"
raw=127.0.0.1:$(ports 1)
{
	printf '\thttpclient.ssl.verify none\n\thttpclient.retries 0\n'
	http_proxy "log unix@$dir/logs format raw local0
	log-format %ts" "ssl verify none"
	printf 'listen raw\n\tmode tcp\n\tno log\n\tbind %s ssl crt %s\n\tserver s1 %s\n' "$raw" "$dir/a.pem" "$back"
} | config
start_penstock
timeout 100 python3 "${0%.sh}.py" "${front##*:}" "${back##*:}" "${raw##*:}" "$dir/a.pem" \
	"$dir/logs" "$stats" || fail "an end was mistaken"
aborts=$(ask "show stat" | awk -F, '/^be,s1,/ { print $51 }')
check "$aborts responses count as broken off, wanted 2" test "$aborts" = 2
stop_penstock
finish
