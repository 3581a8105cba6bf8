#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What a controller does for each application: a backend and its servers are added, published, and
# entered into a map; then all of it goes, in turns beside traffic. No request fails, and memory,
# descriptors and slots are in the end what they were. TURNS=1000 is the long form.
. "${0%/*}/../lib.sh"

http_config "nbproc 2" <<END
defaults apps
	mode http
	timeout connect 30s
	timeout server 2m
	balance random
	http-reuse always
frontend fe
	mode http
	timeout client 2m
	bind $front
	use_backend %[path,map($dir/apps.map)] if { path,map($dir/apps.map) -m found }
	default_backend be
backend be from apps
	server fixed $back
END
: >"$dir/apps.map"
start_workers
sanitized && export SANITIZED=1
driver "${0%/*}/many_backends.py" || failures=1
[ "$failures" -eq 0 ] || tail -n 40 "$log"
finish
