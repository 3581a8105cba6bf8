#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The certificate and the authorities that only deleted servers used are unused at once: they are
# deleted by commands right behind "del server", in every process, whether the configuration had the
# servers or commands have added them, with kept connections and a transfer under way.
. "${0%/*}/../lib.sh"
"$PENSTOCK" -vv | grep -q '+OPENSSL' || { say "this build has no TLS"; exit 77; }
. "${0%/*}/../tls/certs.sh"

authority ca
signed leaf ca back.example
secure=127.0.0.1:$(ports 1)
for name in mine shared; do cp "$certs/leaf.pem" "$certs/$name.pem"; done
for name in one two; do cp "$certs/ca.pem" "$certs/ca_$name.pem"; done
for workers in 1 3; do
	{
		[ "$workers" -eq 1 ] || printf '\tnbproc %s\n' "$workers"
		printf '\tca-base %s\n\tcrt-base %s\n' "$certs" "$certs"
		http_defaults
		cat <<-END
		frontend fe
			bind $front
			default_backend tls
		backend tls
			server mine $secure ssl verify required ca-file ca_one.pem crt mine.pem
			server first $secure ssl verify required ca-file ca_two.pem crt shared.pem
			server second $secure ssl verify required ca-file ca_two.pem crt shared.pem
		backend slow
			server s $back
		frontend secure
			bind $secure ssl crt leaf.pem ca-file ca.pem verify required
			http-request return status 200 if ! { path /slow }
			default_backend slow
		END
	} | config
	start_workers
	driver "${0%.sh}.py" --workers "$workers" --secure "$secure" --certs "$certs" || failures=1
	stop_penstock
done
finish
