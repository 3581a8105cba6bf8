#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Sends that take a part only: the rest of an interim answer leaves as soon as it can, for the
# client may wait for it before it says more.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
for rule in send=short:10 send=short:1; do
	say "## $rule"
	SHIM="$rule"
	http_proxy "" "" "http-request wait-for-body time 100s if { path /own }
	http-request early-hint Link \"</style.css>; rel=preload\" if { path /hint }" | config
	start_penstock
	timeout 100 python3 "${0%.sh}.py" "${front##*:}" "${back##*:}" || fail "it stays away"
	acted "$rule"
	stop_penstock
done
finish
