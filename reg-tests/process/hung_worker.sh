#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A worker that hangs in the middle of an exchange, busy and not asleep, is found; the log says
# where it was and what it had at hand; it is replaced, and the other one serves meanwhile.
. "${0%/*}/../lib.sh"

shim_while=$dir/hang
SHIM="connect=spin"
{ printf '\tnbproc 2\n'; http_proxy "http-reuse never"; } | config
start_workers
driver "${0%.sh}.py" --hang "$shim_while" || failures=1
finish
