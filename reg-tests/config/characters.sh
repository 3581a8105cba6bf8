#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Messages cut long words between two characters, and name one that is wrong as a whole.
. "${0%/*}/../lib.sh"
cat >"$dir/example.cfg" <<'END'
global
	maxconn 100
.if defined(HOME)
.endif
userlist people
	user a insecure-password b
defaults base
	mode http
	timeout connect 5s
	log stdout format raw local0
peers others
	peer a 127.0.0.1:1
frontend web from base
	bind 127.0.0.1:80
	acl admin path_beg /admin
	acl old src 10.0.0.0/8
	http-request deny if admin { src 10.0.0.1 }
	http-request set-var(txn.a) req.hdr(x),regsub(a,b,g)
	log-format "%ci %[src,lower]"
	default_backend site
backend site
	balance roundrobin
	option httpchk GET /
	http-check expect status 200
	stick-table type ip size 1k store http_req_rate(10s)
	server a 127.0.0.1:81 check
END
python3 "$srcdir/reg-tests/config/characters.py" "$PENSTOCK" "$dir/example.cfg" "$dir/site.cfg" ||
	failures=$((failures + 1))
finish
