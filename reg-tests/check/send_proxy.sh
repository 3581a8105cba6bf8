#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Checks send the PROXY protocol where the traffic does, or where check-send-proxy says so, byte for
# byte as HAProxy does. Version 2 says LOCAL, without addresses, or those of the connection with
# pp2-never-send-local.
. "${0%/*}/../lib.sh"

set -- $(ports 4)
tries() {
	{
		echo "$2"
		tcp_proxy "" "check inter 100 send-proxy"
		cat <<-END
			option tcp-check
			tcp-check send hello
			tcp-check expect string never
			server s2 127.0.0.1:1 check port $3 inter 100 check-send-proxy
			server s3 127.0.0.1:$4 check inter 100 send-proxy-v2
			server s4 127.0.0.1:$5 check inter 100
			server s5 127.0.0.1:1 check port $6 inter 100 send-proxy
		END
	} | config
	start_penstock
	driver "${0%.sh}.py" --what "$1" --ports "$3 $4 $5 $6" || failures=$((failures + 1))
	stop_penstock
}
tries LOCAL "" "$@"
tries addresses "
	pp2-never-send-local" "$@"
finish
