#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Bodies over a long path, by HTTP/2 and by one connection of mode tcp: windows grow until they are
# as fast. The path is a relay that ends TCP, as a load balancer of TCP in front does, so the kernel
# here does not see how long it is. By hand, longer: LONG="--megabytes 100 --rate 80".
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
tcp=127.0.0.1:$(ports 1)
config <<END
$(http_defaults)
frontend fe
	bind $front proto h2
	default_backend be
backend be
	server s1 $back
listen tcp
	mode tcp
	bind $tcp
	server s1 $back
END
start_penstock
driver "${0%/*}/long_path.py" --tcp "$tcp" ${LONG:---megabytes 40 --rate 40} || failures=1
finish
