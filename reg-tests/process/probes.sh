#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Others end the stream at hand, or mark its server down, at one probe after another
# (include/event/probe.h): steps, runs of pumps, rules, tasks, timers and events of a fixed set of
# exchanges. Nobody gets a wrong answer, the next exchange is served, nothing is left behind, and
# the sanitizers have nothing to say. Builds without the sanitizers have no probes.
. "${0%/*}/../lib.sh"

sanitized || { say "no sanitizers, no probes"; exit 77; }
tcp=127.0.0.1:$(ports 1)
config <<END
$(http_defaults)
	retries 1
	option redispatch
	default-server observe layer7 error-limit 1000000 on-error mark-down on-marked-down shutdown-sessions
	default-server check inter 1h fall 1 addr ${back%:*} port ${back#*:}
frontend fe
	bind $front
	http-request set-header X-A %[path]
	http-request redirect location /x if { path /redirect }
	http-request deny if { path /deny }
	use_backend buffered if METH_POST
	use_backend queue if { path /queue }
	use_backend retry if { path /retry }
	use_backend zip if { path /zip }
	default_backend be
backend be
	http-response set-header X-B b
	server s $back
backend buffered
	option http-buffer-request
	server s $back
backend queue
	server s $back maxconn 1
backend retry
	retry-on 503 conn-failure empty-response
	server s $back
backend zip
	compression algo gzip
	compression type text/plain
	server s $back
listen tcp
	mode tcp
	bind $tcp
	server s $back
END
start_penstock
driver "${0%/*}/probes.py" --tcp "$tcp" || failures=1
finish
