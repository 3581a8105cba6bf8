#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Sends that take a part only, then nothing until the next event.
. "${srcdir:-.}/reg-tests/lib.sh"
splice="option splice-request
	option splice-response"

for rule in send=short:1000 push=short:5000 push=short:1; do
	say "## $rule"
	SHIM="$rule"
	case $rule in
	send*) tcp_proxy | start_penstock -dS ;;
	*) tcp_proxy "$splice" | start_penstock ;;
	esac
	relaytest -n 4 -z "$([ $rule = push=short:1 ] && echo 20k || echo 1m)" transfer
	acted "$rule"
	stop_penstock
done
finish
