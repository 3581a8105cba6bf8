#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# send-proxy: the PROXY line and the first data of the client leave in one segment.
. "${0%/*}/../lib.sh"
own_network "$@"

bind_words=defer-accept
tcp_proxy "" "send-proxy" | config
start_penstock
wire proxy-line
finish
