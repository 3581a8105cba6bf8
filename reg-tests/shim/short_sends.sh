#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Sends that take a part only, then nothing until the next event.
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
finish
