#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A tunnel that is closed on one side has "timeout client-fin" and "timeout server-fin" from then
# on, though "timeout tunnel" is longer.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
http_proxy "timeout tunnel 300s
	timeout client-fin 500ms
	timeout server-fin 500ms" | config
start_penstock
timeout 100 python3 "${0%.sh}.py" "${front##*:}" "${back##*:}" || fail "it lives on"
stop_penstock
finish
