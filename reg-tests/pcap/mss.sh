#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# bind ... mss: the segment size that is offered to clients.
. "${0%/*}/../lib.sh"
own_network "$@"

bind_words="mss 1000"
tcp_proxy | config
start_penstock
wire mss 1000
finish
