#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Which side wins when frontend and backend differ about splicing: either of them enables it (as the
# manual says); "no option" in one does not take away what the other enables; where neither enables
# it and one says "no option", the direction copies.
. "${0%/*}/../lib.sh"

# proxy LINE-OF-THE-FRONTEND LINE-OF-THE-BACKEND
proxy() {
	cat <<END
defaults
	mode tcp
	timeout connect 5s
	timeout client 30s
	timeout server 30s
frontend fe
	bind $front
	$1
	default_backend be
backend be
	$2
	server s1 $back
END
}

# want SPLICED? LINE-OF-THE-FRONTEND LINE-OF-THE-BACKEND: small messages, which only a forced
# direction splices. The option is about responses, so is the test.
want() {
	proxy "$2" "$3" | config
	start_penstock
	relaytest -n 50 -z 1000 fin
	spliced=$(info BytesSpliced)
	say "# frontend: ${2:--}; backend: ${3:--}; spliced: $spliced"
	case $1 in
	yes) check "it splices" test "$spliced" -gt 0 ;;
	no) check "it does not splice" test "$spliced" -eq 0 ;;
	esac
	stop_penstock
}
want yes "option splice-response" ""
want yes "" "option splice-response"
want yes "option splice-response" "no option splice-response"
want yes "no option splice-response" "option splice-response"
want yes "option splice-auto" ""
want no "no option splice-auto" ""
want no "no option splice-request" "no option splice-request
	no option splice-response"
finish
