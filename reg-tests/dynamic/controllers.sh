#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What controllers of Kubernetes and set-ups with consul-template send, many times beside traffic:
# spare servers that get addresses, servers that are added and deleted, maps in one piece and in
# versions, certificates in transactions, states that are read, reloads over the parent's socket. No
# request fails, and all workers agree in the end. controllers.py has the steps. TURNS=1000 is the
# long form.
. "${0%/*}/../lib.sh"
. "${0%/*}/../tls/certs.sh"

authority ca
signed first ca one.example
signed second ca one.example
cp "$certs/first.pem" "$certs/kept.pem"
printf 'one.example/ ing_one\n' >"$dir/host.map"
{
	printf '\tnbproc 2\n\tserver-state-file %s/states\n' "$dir"
	http_defaults
	cat <<-END
	frontend fe
		bind $front
		http-request set-var(txn.b) base,map_beg($dir/host.map,ing_one)
		use_backend %[var(txn.b)]
	frontend secure
		bind 127.0.0.1:$(ports 1) ssl crt $certs/kept.pem
		default_backend ing_one
	backend ing_one
		balance roundrobin
		default-server weight 1 maxconn 1000
		server srv001 $back
		server-template srv_ 3 127.0.0.1:1 disabled
	backend ing_two
		added-servers keep
		balance leastconn
	END
} | config
: >"$dir/states"
start_workers
driver "${0%/*}/controllers.py" --certs "$certs" || failures=1
[ "$failures" -eq 0 ] || tail -n 40 "$log"
finish
