#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A client that says nothing is logged with the time that was spent on it, whether it is sent away
# or leaves by itself: %Ti is 0, %Ta and %Tt tell how long it was there. With a part of a request
# %Ti ends at its first byte.
. "${0%/*}/../lib.sh"

{
	http_defaults
	printf '\ttimeout client 300ms\n\tlog stdout format raw local0\n'
	printf '\tlog-format "%%ST %%tsc Ti=%%Ti Ta=%%Ta Tt=%%Tt TR=%%TR"\n'
	printf 'frontend fe\n\tbind %s\n\thttp-request return status 200\n' "$front"
} | config
start_penstock
python3 "${0%.sh}.py" "$front" "$log"
check "silent clients are logged with their time" test $? -eq 0
finish
