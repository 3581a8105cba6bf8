#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# option nolinger closes by RST: in a frontend towards clients, in a backend towards servers.
. "${0%/*}/../lib.sh"
own_network "$@"

client_timeout=3s
tcp_proxy "" "" "option nolinger" | config
start_penstock
wire nolinger server
stop_penstock
tcp_proxy "option nolinger" "" "no option nolinger" | config
start_penstock
wire nolinger client
finish
