#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# trace request, on the stats socket, tells the way of the next request that matches, and disturbs
# nobody: neither those that do not match, nor the one that is traced when whoever watches goes
# away. Of several processes the first that tells ends it, with a parent and without.
. "${0%/*}/../lib.sh"
config <<END
defaults
	mode http
	timeout connect 30s
	timeout client 2m
	timeout server 2m
	timeout tarpit 500ms
	option httplog
frontend fe
	bind $front
	acl never always_false
	acl named_acl path /named
	http-request set-header X-Path %[path]
	http-request tarpit if { path /wait }
	default_backend be
backend be
	http-request return status 200 content-type text/plain string hello
END
for way in "" "-W" "nbproc 2" "-W nbproc 2"; do
	say "## ${way:-one process}"
	sed -i '/nbproc/d' "$dir/cfg"
	case $way in *nbproc*) sed -i '1a\	nbproc 2' "$dir/cfg" ;; esac
	case $way in
	-W*) start_workers ;;
	*) start_penstock ;;
	esac
	driver "$srcdir/reg-tests/explain/trace.py" || failures=$((failures + 1))
	stop_penstock
done
finish
