#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A frontend in mode tcp takes what a client says for HTTP/2 when a rule says so ("proto h2"), or
# when it begins with the preface and a rule or a backend has said HTTP. Each stream has the rules
# and the backend of its own; the session of bytes leaves no log line.
. "${0%/*}/../lib.sh"
command -v curl >/dev/null || { say "curl is not installed"; exit 77; }
curl --version | grep -q HTTP2 || { say "curl was built without HTTP/2"; exit 77; }

forced=127.0.0.1:$(ports 1)
h1=127.0.0.1:$(ports 1)
backend=127.0.0.1:$(ports 1)
inner=127.0.0.1:$(ports 1)
rule="tcp-request inspect-delay 1m
	tcp-request content switch-mode http"
config <<END
defaults
	timeout client 1m
	timeout connect 1m
	timeout server 1m
	log stderr local0
	log-format "logged %f %b %B"
frontend any
	bind $front
	$rule if { req.len gt 0 }
	http-request set-header x-path %[path]
	http-request return status 200 content-type text/plain lf-string "%[req.ver] %[path] first=%[http_first_req]\n" if { path_beg /own }
	default_backend web
frontend forced
	bind $forced
	$rule proto h2
	default_backend web
frontend onlyh1
	bind $h1
	$rule proto h1 if { req.len gt 0 }
	default_backend web
frontend chosen
	bind $backend
	default_backend web
backend web
	mode http
	server s $inner
frontend inner
	mode http
	bind $inner
	http-request return status 200 content-type text/plain lf-string "inner %[req.ver] %[path] %[req.hdr(x-path)]\n"
END
start_penstock
says() {
	what=$1 expected=$2
	shift 2
	got=$(curl -s -S -m 60 "$@" 2>&1 | tr '\n' '|')
	case $got in
	$expected) pass "$what: $got" ;;
	*) fail "$what: $got, wanted $expected" ;;
	esac
}
prior=--http2-prior-knowledge
driver "${0%/*}/switch_mode.py" || failures=1
says "the preface behind a rule" "2.0 /own first=1|" $prior "http://$front/own"
says "on to a server" "inner 1.1 /a /a|" $prior "http://$front/a"
says "HTTP/1 beside it" "1.1 /own first=1|" "http://$front/own"
says "proto h2" "inner 1.1 /b |" $prior "http://$forced/b"
says "what is none ends the connection" "curl: *" --http1.1 "http://$forced/d"
says "proto h1" "inner 1.1 /e |" --http1.1 "http://$h1/e"
says "the preface is no request of it" "curl: *" $prior "http://$h1/f"
says "a backend in mode http" "inner 1.1 /g |" $prior "http://$backend/g"
logged() { grep -c "logged $1 " "$log"; }
all() { test "$(logged inner)" = 4; }
check "one line a stream" until_true 60 all
# The line of what is none: <BADREQ>.
check "... and none of the session of bytes" test "$(logged any) $(logged forced) $(logged chosen)" = "5 2 1"
finish
