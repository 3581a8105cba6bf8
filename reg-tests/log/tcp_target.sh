#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# log tcp@... sends lines over a connection of its own, whole and in their order; what the other
# side says means nothing, and when it closes the next line opens another connection.
. "${0%/*}/../lib.sh"

where=127.0.0.1:$(ports 1)
config <<END
defaults
	mode tcp
	log tcp@$where format short local0
	timeout client 2m
	timeout connect 2m
	timeout server 2m
frontend fe
	bind $front
	log-format "line %cp %B"
	tcp-request content reject
END
start_penstock
driver "${0%.sh}.py" --where "$where" || failures=$((failures + 1))
finish
