#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Who connects and is no member is answered the status that the protocol has for it; a crowd of
# connections keeps no member out; a member that takes nothing costs a bounded memory and is given
# up; without descriptors members are called again.
# Limit: 120 s
. "${0%/*}/../lib.sh"
command -v python3 >/dev/null || exit 77
# What a build with the sanitizers frees stays for a while.
most=8000
! sanitized || most=300000
driver "${0%/*}/strangers.py" --most "$most" || failures=1
finish
