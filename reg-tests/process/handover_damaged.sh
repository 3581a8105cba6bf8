#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A reload in which what the parent hands to its next image is damaged (cut, doubled, wrong pids,
# descriptors and rows): the service goes on, nobody else is signalled, and SIGTERM ends all of it.
. "${0%/*}/../lib.sh"

python3 "${0%/*}/handover_damaged.py" "$dir" "$PENSTOCK" "$@" || failures=1
finish
