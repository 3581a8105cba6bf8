#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# option contstats: the bytes of a long connection of mode tcp, of a slow response over HTTP/1 and
# of one over HTTP/2 come into stick tables all along, though nobody asks for statistics; without
# the option when it ends. PENSTOCK=haproxy judges the reference.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || exit 77
set -- $(ports 3)
http=$1 h2=$2 plain=$3
http_config <<END
listen bytes
	mode tcp
	option contstats
	bind $front
	tcp-request connection track-sc0 src table bytes
	stick-table type ip size 10 store bytes_in_cnt,bytes_out_cnt,bytes_in_rate(1h)
	server s $back
listen http
	option contstats
	bind 127.0.0.1:$http
	http-request track-sc0 src table http
	stick-table type ip size 10 store bytes_out_cnt,bytes_out_rate(1h)
	server s $back
listen h2
	option contstats
	bind 127.0.0.1:$h2 proto h2
	http-request track-sc0 src table h2
	stick-table type ip size 10 store bytes_out_cnt
	server s $back
listen plain
	bind 127.0.0.1:$plain
	http-request track-sc0 src table plain
	stick-table type ip size 10 store bytes_out_cnt
	server s $back
END
start_penstock
driver "${0%/*}/along.py" --http "127.0.0.1:$http" --h2 "127.0.0.1:$h2" --plain "127.0.0.1:$plain" ||
	failures=$((failures + 1))
finish
