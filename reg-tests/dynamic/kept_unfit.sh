#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# No added server stands in the way of a reload ("added-servers keep"): one whose words do not fit
# the files any more (its number, whom it tracks or takes words from, mode, checks, certificates
# that commands had loaded) is left out, with a warning; a host name is not looked up, and the
# server keeps the address that it was given.
. "${0%/*}/../lib.sh"
. "${0%/*}/../tls/certs.sh"

authority ca
http_config "nbproc 2" <<END
frontend fe
	bind $front
	use_backend %[path,field(2,/)]
backend keeps
	added-servers keep
	server fixed $back check disabled
	server other $back disabled
backend modes
	added-servers keep
	option httpchk
	server fixed $back disabled
END
start_workers
driver "${0%.sh}.py" "$certs/ca.pem" || failures=1
[ "$failures" -eq 0 ] || tail -n 60 "$log"
finish
