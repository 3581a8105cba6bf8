#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# filter trace says what happens at its place, in the words of the reference: before and behind
# compression, in either mode; with random-forwarding every byte arrives all the same; quiet says
# and costs nothing.
. "${0%/*}/../lib.sh"

zlib=
"$PENSTOCK" -vv | grep -q '+ZLIB' && zlib=1

config <<END
defaults
	mode http
	timeout connect 30s
	timeout client 2m
	timeout server 2m
listen web
	bind $front
	filter trace name A hexdump
	http-request return status 403 if { path /no }
	server s $back
listen bytes
	mode tcp
	bind unix@$dir/tcp.sock
	filter trace
	server s $back
listen quiet
	bind unix@$dir/quiet.sock
	option splice-response
	filter trace quiet hexdump
	server s $back
frontend packed
	bind unix@$dir/packed.sock
	filter trace name random-forwarding random-forwarding quiet
	filter bwlim-out l default-limit 20m default-period 1s
	http-request set-bandwidth-limit l
	default_backend packing
backend packing
	filter trace name behind random-forwarding quiet
	filter compression
	filter trace quiet random-forwarding
	${zlib:+compression algo gzip}
	server s $back
END

start_penstock
driver "${0%.sh}.py" || failures=1
stop_penstock

# Without what is another one with each run.
sed -nE 's/^[0-9.]+ \[([^]]*[^] ]) *\] (\[strm [^]]*\] )?/\1: /p; /^\t0x/p' "$log" | sed -E 's/ +/ /g; s/ $//; s/\r//' >"$dir/said"
cat >"$dir/wanted" <<'END'
A/web: filter initialized [quiet=false - fwd random=false - hexdump=true]
TRACE/bytes: filter initialized [quiet=false - fwd random=false - hexdump=false]
A/web: trace_attach : filter-type=frontend
A/web: trace_stream_start
A/web: trace_chn_start_analyze : channel=REQUEST - mode=HTTP (frontend)
A/web: trace_stream_set_backend : backend=web
A/web: trace_http_headers : channel=REQUEST - mode=HTTP (backend)	GET /small HTTP/1.1
A/web: 	host: a
A/web: 	content-length: 3
A/web: trace_http_payload : channel=REQUEST - mode=HTTP (backend) - offset=0 - len=3 - forward=3
	0x000000: 61 62 63 |abc|
A/web: trace_http_end : channel=REQUEST - mode=HTTP (backend)
A/web: trace_chn_start_analyze : channel=RESPONSE - mode=HTTP (backend)
A/web: trace_http_headers : channel=RESPONSE - mode=HTTP (backend)	HTTP/1.1 200 OK
A/web: 	x-name: Value
A/web: 	transfer-encoding: chunked
A/web: trace_http_payload : channel=RESPONSE - mode=HTTP (backend) - offset=0 - len=11 - forward=11
	0x000000: 68 65 6c 6c 6f 20 77 6f 72 6c 64 |hello world|
A/web: trace_http_end : channel=RESPONSE - mode=HTTP (backend)
A/web: trace_chn_end_analyze : channel=REQUEST - mode=HTTP (backend)
A/web: trace_chn_end_analyze : channel=RESPONSE - mode=HTTP (backend)
A/web: trace_stream_stop
A/web: trace_detach : filter-type=frontend
A/web: trace_attach : filter-type=frontend
A/web: trace_stream_start
A/web: trace_chn_start_analyze : channel=REQUEST - mode=HTTP (frontend)
A/web: trace_http_reply : channel=RESPONSE - mode=HTTP (frontend)
A/web: trace_chn_end_analyze : channel=REQUEST - mode=HTTP (frontend)
A/web: trace_chn_end_analyze : channel=RESPONSE - mode=HTTP (frontend)
A/web: trace_stream_stop
A/web: trace_detach : filter-type=frontend
END
grep -v 'connection: \|^TRACE.*strm\|^TRACE/bytes: trace' "$dir/said" >"$dir/http"
check "mode http: line by line" diff "$dir/wanted" "$dir/http"
grep '^TRACE/bytes: trace' "$dir/said" | sed -E 's/ - len=.*//' | uniq >"$dir/tcp"
check "mode tcp: payload of the request" grep -q 'trace_tcp_payload : channel=REQUEST - mode=TCP (backend)' "$dir/tcp"
check "mode tcp: payload of the response" grep -q 'trace_tcp_payload : channel=RESPONSE - mode=TCP (backend)' "$dir/tcp"
check "mode tcp: the end" test "$(tail -n 1 "$dir/tcp")" = "TRACE/bytes: trace_detach : filter-type=frontend"

# refused WORDS SENTENCE
refused() {
	printf 'listen l\n\tmode http\n\tbind %s\n\t%b\n' "$front" "$1" >"$dir/wrong"
	"$PENSTOCK" -c -f "$dir/wrong" >"$dir/out" 2>&1
	check "refused: $1" test $? -ne 0
	check "because: $2" grep -qF -e "$2" "$dir/out"
}
refused 'filter trace hexdumb' "did you mean 'hexdump'"
refused 'filter trace name' "a name expected"
refused 'filter compression\n\tfilter compression' "has a filter 'compression' already"
[ -z "$zlib" ] || refused 'filter trace\n\tcompression algo gzip' "beside other filters 'filter compression' says"
finish
