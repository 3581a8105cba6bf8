#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Hundreds of signals in the middle of transfers disturb no stream, nor does a clock that is set, a
# day ahead, ten years back, beyond 2038.
. "${0%/*}/../lib.sh"

export SHIM_CLOCK="$dir/ahead"
head -c 8 /dev/zero >"$SHIM_CLOCK"
python_with h2 || { say "python3-h2 is not installed"; exit 77; }
config <<END
$(http_defaults)
frontend fe
	bind $front proto h2
	default_backend be
backend be
	http-reuse always
	server s1 $back proto h2
END
start_penstock
driver "${0%/*}/storm.py" --ahead "$SHIM_CLOCK" || failures=1
finish
