#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Started with signals ignored or blocked, with standard descriptors closed, and with small limits:
# it serves, replaces workers, reloads and ends like any other; or says what is missing.
. "${0%/*}/../lib.sh"

{ printf '\tpidfile %s/pid\n' "$dir"; http_defaults; cat <<END; } | config
frontend fe
	bind $front
	http-request return status 200
END
driver "${0%.sh}.py" "$PENSTOCK" || failures=1
finish
