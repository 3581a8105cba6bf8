#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# fc_glitches and bc_glitches: what is counted on connections of HTTP/2, of a client and to a
# server, known to rules and to the log; nothing where HTTP/1 is spoken.
. "${0%/*}/../lib.sh"

python_with h2 || { say "python3-h2 is not installed"; exit 77; }
config <<END
$(http_defaults)
	http-reuse always
	log stderr local0
	log-format "logged %HP %HV fc=%[fc_glitches] bc=%[bc_glitches]"
frontend fe
	bind $front
	http-request set-header x-fc %[fc_glitches]
	http-request deny deny_status 429 if { fc_glitches ge 10 }
	http-response set-header x-fc "%[fc_glitches]" if { fc_glitches -m found }
	http-response set-header x-bc "%[bc_glitches]" if { bc_glitches -m found }
	default_backend be
backend be
	server s1 $back proto h2
END
start_penstock
driver "${0%/*}/glitches.py" || failures=1
check "the log: of HTTP/2" until_true 60 grep -q "logged /n/5 HTTP/2.0 fc=3 bc=0" "$log"
check "the log: of HTTP/1" until_true 60 grep -q "logged /pings/4 HTTP/1.1 fc=- bc=4" "$log"
stop_penstock
finish
