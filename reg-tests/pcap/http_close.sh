#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# HTTP connections that carry one request each are closed with few packets, and without losing any.
. "${0%/*}/../lib.sh"
own_network "$@"

http_proxy "" "pool-max-conn 0" | config
start_penstock
wire http-close
wire http-ack
finish
