#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What the kernel relay cannot take goes another way, and is counted: filters, limits of bandwidth,
# TLS.
. "${0%/*}/../lib.sh"

# goes_otherwise TEST: with the configuration of standard input.
goes_otherwise() {
	config
	start_penstock
	kernel_or_skip
	driver "$srcdir/reg-tests/relay/kernel_causes.py" --test "$1" || failures=$((failures + 1))
	stop_penstock
}

say "## a limit of bandwidth"
kernel_proxy | sed 's/default_backend/filter bwlim-out pace default-limit 100m default-period 1s\n	tcp-request content set-bandwidth-limit pace\n	&/' >"$dir/lines"
goes_otherwise unfit <"$dir/lines"
say "## a filter"
kernel_proxy | sed 's/default_backend/filter trace quiet\n	&/' >"$dir/lines"
goes_otherwise unfit <"$dir/lines"
if command -v openssl >/dev/null && ! "$PENSTOCK" -vv | grep -q "Built without OpenSSL"; then
	say "## TLS"
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=site.test" \
		-keyout "$dir/site.key" -out "$dir/site.crt" 2>/dev/null
	cat "$dir/site.crt" "$dir/site.key" >"$dir/site.pem"
	bind_words="ssl crt $dir/site.pem"
	kernel_proxy >"$dir/lines"
	goes_otherwise unfit_tls <"$dir/lines"
fi
finish
