#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What may go wrong around parent and workers: no descriptors left for the parent, no room for the
# pid file, workers killed in the middle of reloads, storms of signals. The service goes on.
. "${0%/*}/../lib.sh"

{ printf '\tnbproc 2\n\tpidfile %s/pid\n' "$dir"; http_proxy; } | config
start_workers
driver "${0%.sh}.py" || failures=1
[ "$failures" -eq 0 ] || tail -n 100 "$log"
finish
