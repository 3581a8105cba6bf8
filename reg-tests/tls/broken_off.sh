#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A server that breaks off is passed on to clients of TLS as a RST, and not behind a FIN: what came
# before would look complete to whoever reads to the end of the stream.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null && python3 -c "import ssl" || { say "needs python3 with ssl"; exit 77; }
command -v openssl >/dev/null || { say "needs openssl"; exit 77; }
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=a \
	-keyout "$dir/a.key" -out "$dir/a.crt" 2>"$dir/req.log" || { cat "$dir/req.log"; exit 1; }
cat "$dir/a.crt" "$dir/a.key" >"$dir/a.pem"
bind_words="ssl crt $dir/a.pem"
tcp_proxy | config
start_penstock
timeout 100 python3 "${0%.sh}.py" "${front##*:}" "${back##*:}" || fail "it looks like an end"
stop_penstock
finish
