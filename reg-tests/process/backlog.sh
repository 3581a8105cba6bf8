#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A worker that was stopped takes no changes: they wait for it, up to a bound; beyond, it is killed
# and replaced by one that has them all. The others hear of each all the while.
. "${0%/*}/../lib.sh"

{ printf '\tnbproc 2\n'; http_proxy "" "agent-check agent-port 1 agent-inter 1h"; } | config
start_workers
sanitized && export SANITIZED=1 # they keep what was freed
own_driver
finish
