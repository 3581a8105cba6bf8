#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# On a terminal penstock explain folds long lines, and what goes on stands further in; in a file
# each line is whole.
. "${0%/*}/../lib.sh"
cat >"$dir/site.cfg" <<'END'
defaults
	mode http
	timeout connect 5s
	timeout client 5s
	timeout server 5s
	log 192.0.2.200:514 local0
	option httplog
frontend web
	bind :80
	http-request set-header X-Long "a policy with many words: default-src 'self' https://cdn.example.org; script-src 'self' %[req.fhdr(user-agent)]"
	http-request set-var(txn.agent) req.fhdr(user-agent),lower
	http-request set-header X-Again %[req.hdr(x-odd)]
	default_backend site
backend site
	server a 192.0.2.1:8081
END
python3 "$srcdir/reg-tests/explain/terminal.py" "$PENSTOCK" "$dir/site.cfg" || failures=$((failures + 1))
finish
