#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Sequences of exchanges in every framing with random pieces, pauses, pipelining, breaks on either
# side and responses that are followed by another one: nothing of one message is in another, what
# was broken off is visibly so, nothing hangs, no pipe is left; with splice on, adaptive and off, no
# pipe or one, and connections to the server shared by all clients. By hand, longer: SOAK="-t 60 -c
# 200".
. "${0%/*}/../lib.sh"
proxy=http_proxy

httpsoak() {
	"$topbuild/reg-tests/http/httpsoak" -f "$front" -b "$back" ${SOAK:--t 1} "$@" ||
		failures=$((failures + 1))
}
soak() {
	httpsoak -R
	exactly PipesUsed 0
	httpsoak -x -P
	exactly PipesUsed 0
}
each_way soak
for words in "maxpipes 0" "maxpipes 1" "tune.bufsize 4096"; do
	say "## $words"
	{
		printf '\t%s\n' "$words"
		http_proxy "$splice"
	} | config
	start_penstock
	httpsoak
	exactly PipesUsed 0
	stop_penstock
done
for words in "http-reuse always" "http-reuse never" "option http-server-close" "option httpclose"; do
	say "## $words"
	http_proxy "$words" | config
	start_penstock
	httpsoak
	stop_penstock
done
finish
