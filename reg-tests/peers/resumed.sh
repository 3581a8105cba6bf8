#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A HAProxy and a Penstock have told each other what they have; a reload later neither tells it
# again: what was acknowledged, and what a teaching brought, is known to be there.
. "${0%/*}/../lib.sh"
command -v python3 >/dev/null || exit 77
[ -n "${OTHER:-}" ] || [ -x /usr/sbin/haproxy ] || [ -x /usr/local/sbin/haproxy ] || exit 77
driver "${0%/*}/resumed.py" || failures=1
finish
