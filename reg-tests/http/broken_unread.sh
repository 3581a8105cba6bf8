#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A server breaks off in the middle of a response. The client still gets what had come; one that
# resets its connection meanwhile is waited for no more, also in mode tcp.
. "${0%/*}/../lib.sh"

judge() {
	start_penstock
	driver "${0%.sh}.py" || failures=1
	stop_penstock
}

http_proxy | config
judge
tcp_proxy | config
judge
finish
