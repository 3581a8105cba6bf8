#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A client that has not taken all of an answer yet, and sends more while its connection is closed,
# gets the answer whole, whatever closes the connection: a reused connection to the server that dies
# under the next request, a next answer that is broken off, a rule, the end of the keep-alive time,
# GOAWAY, a time-out of the server in mode tcp, a connection of HTTP/2 without memory, the end of
# the process, which waits for it. hard-stop-after ends the wait, and so does "timeout client-fin"
# where the client takes nothing.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=x -days 9 \
	-keyout "$dir/key" -out "$dir/crt" 2>/dev/null || { say "needs openssl"; exit 77; }
cat "$dir/crt" "$dir/key" >"$dir/pem"

# way NAME LINES-OF-DEFAULTS [WORDS-OF-BIND [LINES-OF-GLOBAL [LINES-OF-BACKEND]]]
way() {
	{
		printf '\ttune.sndbuf.client 200000\n\t%s\n' "${4:-}"
		case $1 in
		tcp*) tcp_proxy "log stdout format raw local0
	log-format \"/big done\"
	$2" ;;
		*) bind_words=${3:-} http_proxy "log stdout format raw local0
	log-format \"%HP done %ST\"
	$2" "" "${5:-}" ;;
		esac
	} | config
	case $1 in
	memory-h2) start_penstock -dMfail:"$dir/nth" ;; # its first bytes count allocations down
	*) start_penstock ;;
	esac
	driver "${0%/*}/close_queued.py" --way "$1" --nth "$dir/nth" || failures=$((failures + 1))
	case $1 in
	*stop*)
		wait "$pid"
		check "$1: the process has ended with $?" test "$?" -eq 0
		pid=
		;;
	*) stop_penstock ;;
	esac
}
head -c 8 /dev/zero >"$dir/nth"
way reused "http-reuse always"
way broken ""
way reject "" "" "" "http-request reject if { path /reject }"
way tcp-timeout "timeout server 200ms"
way h2-keep-alive "timeout http-keep-alive 20ms" "proto h2"
way h2-deaf "timeout http-keep-alive 20ms
	timeout client-fin 200ms" "proto h2"
way memory-h2 "" "proto h2"
way h2-close "" "proto h2" "" "http-response set-header Connection close"
way h2-stop "" "proto h2"
way keep-alive "timeout http-keep-alive 20ms"
way keep-alive-tls "timeout http-keep-alive 20ms" "ssl crt $dir/pem alpn http/1.1"
way unsaid-tls "timeout http-keep-alive 1s" "ssl crt $dir/pem alpn http/1.1"
way stop-kept ""
way stop-closed "option httpclose"
way stop-hard "option httpclose" "" "hard-stop-after 300ms"
finish
