#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# option tcp-smart-connect: the last ACK of the handshake with the server carries the first data.
. "${0%/*}/../lib.sh"
own_network "$@"

bind_words=defer-accept
tcp_proxy "" "" "option tcp-smart-connect" | config
start_penstock
wire smart-connect
stop_penstock
tcp_proxy "" "" "no option tcp-smart-connect" | config
start_penstock
wire smart-connect no
finish
