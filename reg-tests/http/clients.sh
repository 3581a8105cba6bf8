#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Programs of others on both sides: curl and wrk as clients, nginx, Python's http.server and
# websockets behind. What is not installed is left out, and said.
. "${0%/*}/../lib.sh"

have() { command -v "$1" >/dev/null || { say "skipped: $1 is not installed"; return 1; }; }

files=$dir/files
mkdir -p "$files" && chmod 755 "$dir" "$files"
head -c 3000000 /dev/urandom >"$files/big"
printf 'hello' >"$files/small"
url=http://$front

# curl_is WHAT EXPECTED ARGUMENTS...: the output of curl.
curl_is() {
	what=$1 expected=$2
	shift 2
	got=$(curl -s -S -m 30 "$@" 2>&1)
	check "curl: $what: $got" test "$got" = "$expected"
}

curl_tests() {
	have curl || return 0
	curl_is "GET" hello "$url/small"
	curl_is "a missing file" 404 -o "$dir/x" -w '%{http_code}' "$url/none"
	curl_is "HEAD" "200 0" -I -o "$dir/x" -w '%{http_code} %{size_download}' "$url/big"
	curl -s -S -m 60 -o "$dir/got" "$url/big"
	check "curl: 3 MB" cmp -s "$dir/got" "$files/big"
	curl_is "three requests" "hellohellohello" "$url/small" "$url/small" "$url/small"
	curl_is "HTTP/1.0" hello -0 "$url/small"
}

start_penstock_http() {
	http_proxy "$1" | config
	start_penstock
}

nginx_conf() {
	cat <<END
$(nginx_http)
	access_log off;
	client_max_body_size 10m;
	server {
		listen $back;
		root $files;
		gzip off;
	}
}
END
}

# origin COMMAND...: starts it and waits until it listens at $back.
origin() {
	"$@" >"$dir/origin.log" 2>&1 &
	origin_pid=$!
	children="$children $origin_pid"
	until_true 20 python3 -c "import socket; socket.create_connection(('${back%:*}', ${back##*:}), 5)" ||
		{ cat "$dir/origin.log"; fail "the origin does not start"; }
}
origin_end() {
	kill "$origin_pid" 2>/dev/null
	wait "$origin_pid" 2>/dev/null
}

have python3 || exit 77
if have nginx; then
	say "## nginx"
	nginx_conf >"$dir/nginx.conf"
	origin nginx -c "$dir/nginx.conf" -p "$dir"
	for way in "" "$splice"; do
		start_penstock_http "$way"
		curl_tests
		if have curl; then
			curl -s -S -m 30 -o "$dir/range" -r 1000000-1499999 "$url/big"
			check "curl: a range" test "$(cksum <"$dir/range")" = \
				"$(tail -c +1000001 "$files/big" | head -c 500000 | cksum)"
			curl_is "a connection is kept" "1 0 0 " -o "$dir/x" -o "$dir/x" -o "$dir/x" \
				-w '%{num_connects} ' "$url/small" "$url/small" "$url/small"
		fi
		if have wrk; then
			wrk -t 1 -c 20 -d 1s "$url/small" >"$dir/wrk" 2>&1
			check "wrk: $(grep 'requests in' "$dir/wrk")" grep -q 'requests in' "$dir/wrk"
			check "wrk: no errors" test -z "$(grep -E 'Socket errors|Non-2xx' "$dir/wrk")"
		fi
		stop_penstock
	done
	origin_end
fi
say "## http.server"
origin python3 -m http.server -b "${back%:*}" -d "$files" "${back##*:}"
start_penstock_http
curl_tests
stop_penstock
origin_end
say "## websockets"
start_penstock_http "timeout tunnel 60s"
python=python3 # the package may belong to another one than the first in PATH
python3 -c "import websockets" 2>/dev/null || python=/usr/bin/python3
timeout 100 "$python" "$srcdir/reg-tests/http/websocket.py" "$front" "$back"
case $? in
0) ;;
77 | 126 | 127) say "skipped: websockets" ;;
*) fail "WebSocket" ;;
esac
finish
