#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Added servers over a reload: "added-servers keep" keeps them with weight, address, state and
# number; without the word they are gone, and the servers of the file are as before. No request
# fails.
. "${0%/*}/../lib.sh"

http_config "nbproc 2" <<END
frontend fe
	bind $front
	use_backend %[path,field(2,/)]
backend keeps
	added-servers keep
	server fixed $back disabled
backend forgets
	server fixed $back disabled
END
start_workers
own_driver
finish
