#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Checks, agents and TLS of added servers: checks begin when they are enabled and go down and up
# with the server, in all workers; they end with it; certificates must have been loaded.
. "${0%/*}/../lib.sh"
. "${0%/*}/../tls/certs.sh"

authority ca
signed leaf ca back.example
signed other ca other.example
secure=127.0.0.1:$(ports 1)
{
	printf '\tnbproc 3\n\tca-base %s\n\tcrt-base %s\n' "$certs" "$certs"
	http_defaults
	cat <<-END
	frontend fe
		bind $front
		use_backend %[path,field(2,/)]
	backend be
		server fixed 127.0.0.1:1 disabled
	backend tls
		server fixed 127.0.0.1:1 ssl verify required ca-file ca.pem disabled
	frontend secure
		bind $secure ssl crt leaf.pem
		http-request return status 200 hdr x-sni %[ssl_fc_sni]
	END
} | config
start_workers
driver "${0%.sh}.py" --secure "$secure" || failures=1
[ "$failures" -eq 0 ] || tail -n 40 "$log"
finish
