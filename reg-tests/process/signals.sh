#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Signals to the parent, one right behind the other: "pause, resume" ends listening however they
# meet, in the parent, its workers, and one that is forked afterwards; a reload among them succeeds;
# a stop wins over a reload.
. "${0%/*}/../lib.sh"

{ printf '\tnbproc 2\n'; http_proxy; } | config
start_workers
driver "${0%.sh}.py" || failures=1
wait "$pid"
check "reload and stop at once: it stops, with 0" test $? -eq 0
pid=
finish
