#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Sends that take a part only, then nothing until the next event; in mode http, too.
. "${0%/*}/../lib.sh"
for rule in send=short:1000 push=short:5000 push=short:1; do
	say "## $rule"
	SHIM="$rule"
	case $rule in
	send*) tcp_proxy | config; start_penstock -dS ;;
	*) tcp_proxy "$splice" | config; start_penstock ;;
	esac
	relaytest -n 4 -z "$([ $rule = push=short:1 ] && echo 20k || echo 1m)" transfer
	acted "$rule"
	stop_penstock
done
# Heads that nobody changes leave from where they were received: what did not go is not lost.
for rule in send=short:30 send=short:300; do
	say "## $rule, http"
	SHIM="$rule"
	http_proxy | config
	start_penstock
	"$topbuild/reg-tests/http/httpsoak" -f "$front" -b "$back" -t 1 || failures=1
	acted "$rule"
	stop_penstock
done
finish
