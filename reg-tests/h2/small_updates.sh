#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A client that opens the windows of stream and connection again for each 4 kB that it has read, as
# that of Go does, is a sensible one, whatever it downloads and in how many streams; so is one that
# says PING and opens the connection's window for each message of some bytes, as that of gRPC does.
. "${0%/*}/../lib.sh"

python_with h2 || { say "python3-h2 is not installed"; exit 77; }
config <<END
$(http_defaults)
frontend fe
	bind $front proto h2
	default_backend be
backend be
	http-reuse always
	server s1 $back proto h2
END
start_penstock
own_driver
finish
