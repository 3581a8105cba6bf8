#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# On a terminal penstock -c folds long messages, and shows as much of a line as fits; for tools each
# message is one line.
. "${0%/*}/../lib.sh"
site=$dir/a-folder-whose-name-has-many-letters
mkdir "$site"
cat >"$site/site.cfg" <<'END'
defaults
	mode http
	timeout connect 5s
	timeout client 5s
	timeout server 5s
frontend web
	bind :80
	acl is_administrator path_beg /admin
	acl is_administrator_of_the_shop path_beg /administration /management
	acl is_administrator_of_the_stock path_beg /stock/administration /stock/management
	http-request set-header Content-Security-Policy "default-src 'self'" nosuch
	http-request redirect location https://%[hdr(host),field(1,:)]%[capture.req.uri] code 301 if is_admn
	use_backend nosuchbackend if is_administrator { path_beg /a-long-path/that-has-many-letters /another-long-path }
	http-request deny if hdr(host) == "a-long-name-of-a-host.example.org" || hdr(host) == "another.example.org"
	use_backend é_x if { path /é }
	default_backend site
backend site
	server a 192.0.2.1:8081
END
python3 "$srcdir/reg-tests/config/terminal.py" "$PENSTOCK" "$site/site.cfg" || failures=$((failures + 1))
finish
