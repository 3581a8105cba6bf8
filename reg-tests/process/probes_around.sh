#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# probes.sh around what is beside plain exchanges: TLS and PROXY headers on both sides, answers of
# the program itself, the stats page and the metrics, filters, attempts at another server, upgraded
# connections, conversations on the stats socket, and two workers.
. "${0%/*}/../lib.sh"

sanitized || { say "no sanitizers, no probes"; exit 77; }
. "${0%/*}/../tls/certs.sh"
authority ca
signed site ca www.example.com
tls=127.0.0.1:$(ports 1)
inner=127.0.0.1:$(ports 1)
header=127.0.0.1:$(ports 1)
dead=127.0.0.1:$(ports 1)
config <<END
$(http_defaults)
	retries 1
	option redispatch 1
	default-server observe layer7 error-limit 1000000 on-error mark-down on-marked-down shutdown-sessions
	default-server check inter 1h fall 1 addr ${back%:*} port ${back#*:}
frontend fe
	bind $front
	bind $tls ssl crt $certs/site.pem
	stats enable
	stats uri /stats
	http-request use-service prometheus-exporter if { path /metrics }
	http-request return status 200 content-type text/plain string "returned" if { path /return }
	use_backend tls if { path /tls }
	use_backend header if { path /header }
	use_backend filters if { path /filters }
	use_backend redispatch if { path /redispatch }
	default_backend be
backend be
	server s $back
backend tls
	server s $inner ssl verify none
backend header
	server s $header send-proxy-v2 proxy-v2-options unique-id,crc32c
backend filters
	filter trace name t quiet
	filter bwlim-out pace default-limit 100m default-period 1s
	http-response set-bandwidth-limit pace
	filter compression
	compression algo gzip
	compression type text/plain
	server s $back
backend redispatch
	cookie S
	server dead $dead no-check cookie dead
	server s $back cookie s
frontend inner
	bind $inner ssl crt $certs/site.pem
	bind $header accept-proxy
	default_backend be
END
start_penstock
driver "${0%/*}/probes_around.py" --tls "$tls" || failures=1
stop_penstock
config <<END
	nbproc 2
$(http_defaults)
	default-server on-marked-down shutdown-sessions
frontend fe
	bind $front
	default_backend be
backend be
	option redispatch
	server s $back
END
start_workers
driver "${0%/*}/probes_around.py" --workers || failures=1
finish
