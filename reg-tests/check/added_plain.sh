#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Checks of servers that "add server" made imply nothing: they send a PROXY line with
# check-send-proxy and speak TLS with check-ssl alone, whatever the traffic does. Those of servers
# of the configuration go by the traffic.
. "${0%/*}/../lib.sh"

if [ "${PENSTOCK##*/}" != haproxy ]; then
	"$PENSTOCK" -vv | grep -q '+OPENSSL' || { say "needs TLS"; exit 77; }
fi
config <<END
$(http_defaults)
frontend plain
	bind $back
	http-request return status 200
backend be
	balance roundrobin
	option httpchk
	default-server inter 50ms fall 1
	server file $back send-proxy check
END

# checked NAME STATUS: the last check of that server ended so.
checked() { ask "show stat be 4 -1" | grep -q "^be,$1,.*,$2,"; }
# add NAME WORDS
add() {
	ask "add server be/$1 $back $2 check inter 50ms fall 1" >/dev/null
	ask "enable health be/$1" >/dev/null
	ask "enable server be/$1" >/dev/null
}

start_penstock
check "the server of the file is sent what the traffic sends" until_true 60 checked file L7STS
add proxy send-proxy
check "send-proxy: the check sends none" until_true 60 checked proxy L7OK
add tls "ssl verify none"
check "ssl: the check is plain" until_true 60 checked tls L7OK
add both "send-proxy check-send-proxy"
check "check-send-proxy: it sends one" until_true 60 checked both L7STS
add checkssl "ssl verify none check-ssl"
check "check-ssl: it speaks TLS" until_true 60 checked checkssl L6RSP
finish
