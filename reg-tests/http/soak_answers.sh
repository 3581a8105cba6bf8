#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The soak (soak.sh) where origins often break off, and the proxy's own answers are more than a
# client takes at once: clients go on sending all the while, and get them completely. With retries,
# what was broken off before a byte of an answer came is asked again, and answered.
. "${0%/*}/../lib.sh"

{
	printf 'HTTP/1.0 502 Bad Gateway\r\n\r\n'
	head -c 16000 /dev/zero | tr '\0' x
} >"$dir/502.http"

# soak LINES [OPTIONS OF httpsoak]
soak() {
	say "## $1"
	{
		printf '\ttune.sndbuf.client 4608\n'
		http_proxy "errorfile 502 $dir/502.http
	$1"
	} | config
	shift
	start_penstock
	"$topbuild/reg-tests/http/httpsoak" -f "$front" -b "$back" -z 300k ${SOAK:--t 1} -r "$@" ||
		failures=$((failures + 1))
	exactly PipesUsed 0
	stop_penstock
}
soak "" -P
soak "retry-on conn-failure empty-response"
soak "retry-on conn-failure empty-response
	http-reuse always
	$splice"
soak "retry-on conn-failure empty-response
	option http-server-close
	option http-buffer-request"
finish
