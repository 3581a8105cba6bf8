#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What a service manager hears of -Ws, from the start over reloads that succeed or fail to the stop;
# all of it from the process that it started, which stays the same.
. "${0%/*}/../lib.sh"

{ printf '\tnbproc 2\n'; http_proxy; } | config
python3 "${0%.sh}.py" "$PENSTOCK" "$dir" || failures=1
[ "$failures" -eq 0 ] || cat "$log"
finish
