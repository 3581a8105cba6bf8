#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# PROXY headers pass first, then the kernel relays.
. "${0%/*}/../lib.sh"

bind_words=accept-proxy
tcp_proxy "option kernel-relay" send-proxy | config
start_penstock
kernel_or_skip
driver "$srcdir/reg-tests/relay/kernel_causes.py" --test proxied || failures=$((failures + 1))
finish
