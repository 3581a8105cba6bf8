#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The life of an entry begins anew whenever a stick match finds it, whoever decides: this rule or
# one before it, a cookie, use-server, or nobody, as the server is down or unknown.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || exit 77
http_config <<END
listen fe
	bind $front
	cookie C
	use-server a if { hdr(u) 1 }
	stick match hdr(x1)
	stick match hdr(x2)
	stick-table type string size 100 expire 1h
	server a $back cookie a
	server b $back disabled
END
start_penstock
driver "${0%.sh}.py"
check "entries live as long as they are found" test $? -eq 0
finish
