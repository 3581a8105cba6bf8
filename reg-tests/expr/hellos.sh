#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# ClientHellos of hellos.txt, broken and good ones, over sockets, whole and in pieces: req.ssl_*
# finds what stands there. Where haproxy is installed it is asked the same, and answers the same but
# for the lines with a star.
. "${0%/*}/../lib.sh"
command -v python3 >/dev/null || exit 77

hellos() { # ADDRESS
	cat <<END
global
	log stdout format raw local0
	stats socket $2
defaults
	mode tcp
	timeout client 1m
	timeout connect 1m
	timeout server 1m
frontend f
	bind $1
	log global
	log-format "told %cp %[var(sess.type)] %[var(sess.ver)] %[var(sess.sni)] %[var(sess.ec)] %[var(sess.st)] %[var(sess.alpn)]"
	tcp-request inspect-delay 30s
	tcp-request content set-var(sess.type) req.ssl_hello_type if WAIT_END
	tcp-request content set-var(sess.ver) req.ssl_ver if WAIT_END
	tcp-request content set-var(sess.sni) req.ssl_sni,hex if WAIT_END
	tcp-request content set-var(sess.ec) req.ssl_ec_ext if WAIT_END
	tcp-request content set-var(sess.st) req.ssl_st_ext if WAIT_END
	tcp-request content set-var(sess.alpn) req.ssl_alpn,hex if WAIT_END
	tcp-request content reject if WAIT_END
END
}
judge() { timeout 300 python3 "${0%.sh}.py" "$srcdir/reg-tests/expr/hellos.txt" "$@"; }

hellos "$front" "$stats" >"$dir/cfg"
start_penstock
check "as they are recorded" judge "$front" "$log" ours
stop_penstock
if judges_references && command -v haproxy >/dev/null; then
	hellos "$back" "$dir/theirs.sock" >"$dir/theirs.cfg"
	haproxy -db -f "$dir/theirs.cfg" >"$dir/theirs.log" 2>&1 &
	children="$children $!"
	until_true 60 test -S "$dir/theirs.sock"
	check "haproxy takes those without a star in the same way" judge "$back" "$dir/theirs.log" theirs
fi
finish
