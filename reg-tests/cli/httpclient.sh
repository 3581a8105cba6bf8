#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# "httpclient" says where the rest of an answer is missing, and ends with whoever asked, also where
# that one had closed its half before.
. "${0%/*}/../lib.sh"

{
	printf '\thttpclient.retries 0\n'
	http_defaults
	printf 'frontend fe\n\tbind %s\n' "$front"
} | config
start_penstock
driver "$srcdir/reg-tests/cli/httpclient.py" || fail "httpclient"
finish
