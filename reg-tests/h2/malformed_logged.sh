#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A request of HTTP/2 that is reset as malformed, and a connection that ends with an error of its
# own, leave a line in the log as in HAProxy 2.8: <BADREQ> with PR--, by error-log-format where
# there is one, whatever dontlognull and dontlog-normal say; none where no format is set. They count
# as errors of the protocol, and not as requests.
. "${0%/*}/../lib.sh"

errors=127.0.0.1:$(ports 1)
bare=127.0.0.1:$(ports 1)
config <<END
$(http_defaults)
	log stderr format raw local0
frontend usual
	bind $front proto h2
	log-format "usual %ST %tsc %{+Q}r %b/%s %TR/%Tw/%Tc/%Tr/%Ta %B %rc [%hr|%ID]"
	capture request header Host len 20
	unique-id-format %{+X}o%ci
	option dontlognull
	option dontlog-normal
	default_backend be
frontend errors
	bind $errors proto h2
	log-format "errors: a request %r"
	error-log-format "errors %tsc %{+Q}r"
	default_backend be
frontend bare
	bind $bare proto h2
	default_backend be
backend be
	server s $back
END
start_penstock
driver "${0%/*}/malformed_logged.py" --errors "$errors" --bare "$bare" || failures=1
lines() { grep -c -F "$1" "$log"; }
usual='usual 0 PR-- "<BADREQ>" usual/<NOSRV> -1/-1/-1/-1/0 0 0 [|-]'
check "the lines of requests" until_true 60 eval 'test "$(lines "$usual")" -eq 4'
check "by error-log-format" until_true 60 eval "test \$(lines 'errors PR-- \"<BADREQ>\"') -eq 2"
check "requests keep their format" until_true 60 eval "test \$(lines 'errors: a request GET /') -eq 1"
stop_penstock
check "that is all" test "$(grep -c BADREQ "$log")" -eq 6
finish
