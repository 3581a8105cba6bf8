#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Connections that are broken off, by either side and in mid-transfer: the other side is told, and
# sockets, pipes and streams are given back. What a server broke off reaches the client as RST.
. "${0%/*}/../lib.sh"

broken() {
	relaytest client-rst
	[ $way != splice ] || at_least PipesDirty 1
	relaytest server-rst rst
	check "show sess lists no stream of this proxy" sh -c \
		"! '$tool' -s '$stats' ask 'show sess' | grep -q 'fe=fe'"
}
each_way broken
finish
