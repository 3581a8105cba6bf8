#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A client that has not taken all of an answer yet, and sends more while its connection is closed,
# gets the answer whole, whatever closes the connection: a reused connection to the server that dies
# under the next request, the end of the keep-alive time, the end of the process, which waits for
# it. hard-stop-after ends the wait.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=x -days 9 \
	-keyout "$dir/key" -out "$dir/crt" 2>/dev/null || { say "needs openssl"; exit 77; }
cat "$dir/crt" "$dir/key" >"$dir/pem"

# way NAME LINES-OF-DEFAULTS [WORDS-OF-BIND [LINES-OF-GLOBAL]]
way() {
	{
		printf '\ttune.sndbuf.client 200000\n\t%s\n' "${4:-}"
		bind_words=${3:-} http_proxy "log stdout format raw local0
	log-format \"%HP done\"
	$2"
	} | config
	start_penstock
	driver "${0%/*}/close_queued.py" --way "$1" || failures=$((failures + 1))
	case $1 in
	*stop*)
		wait "$pid"
		check "$1: the process has ended with $?" test "$?" -eq 0
		pid=
		;;
	*) stop_penstock ;;
	esac
}
way reused "http-reuse always"
way keep-alive "timeout http-keep-alive 20ms"
way keep-alive-tls "timeout http-keep-alive 20ms" "ssl crt $dir/pem alpn http/1.1"
way stop-kept ""
way stop-closed "option httpclose"
way stop-hard "option httpclose" "" "hard-stop-after 300ms"
finish
