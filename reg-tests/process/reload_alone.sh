#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A reload comes while no worker lives, and its own first one is killed before it serves: there is
# none to go back to, so another one is started instead of ending the service.
. "${0%/*}/../lib.sh"

{ printf '\tpidfile %s/pid\n' "$dir"; http_proxy; } | config
start_workers
own_driver
stop_penstock
finish
