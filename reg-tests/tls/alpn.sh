#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What ALPN agrees on: what stands at the bind line or in its crt-list; in mode http h2,http/1.1
# without a word; nothing with no-alpn. With "proto h1" h2 is left out, which -c tells in a notice
# that is no warning. In mode tcp ALPN offers what stands there, and nothing else. npn has no
# effect.
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"

authority ca
signed site ca www.example.com
list=127.0.0.1:$(ports 1)
only=127.0.0.1:$(ports 1)
none=127.0.0.1:$(ports 1)
usual=127.0.0.1:$(ports 1)
h1=127.0.0.1:$(ports 1)
plain=127.0.0.1:$(ports 1)
tcp=127.0.0.1:$(ports 1)
old=127.0.0.1:$(ports 1)
printf '%s [alpn h2,http/1.1] www.example.com\n' "$certs/site.pem" >"$certs/list"
lines() { # MORE-GLOBAL-LINES MORE-LINES-OF-THE-FRONTEND
	cat <<END
$1
defaults
	mode http
	timeout client 1m
	timeout connect 1m
	timeout server 1m
frontend http
	bind $front ssl crt $certs/site.pem alpn h2,http/1.1
	bind $only ssl crt $certs/site.pem alpn h2
	bind $none ssl crt $certs/site.pem no-alpn
	bind $usual ssl crt $certs/site.pem
	bind $h1 ssl crt $certs/site.pem proto h1 alpn h2,http/1.1
	bind $list ssl crt-list $certs/list
	$2
	http-request return status 200 content-type text/plain lf-string "alpn=<%[ssl_fc_alpn]> npn=<%[ssl_fc_npn]>\n"
listen bytes
	mode tcp
	bind $tcp ssl crt $certs/site.pem alpn h2,http/1.1
	bind $plain ssl crt $certs/site.pem
	server s $back
backend b
	server s $back ssl verify none alpn h2,http/1.1
END
}
lines "	zero-warning" | config
"$PENSTOCK" -c -f "$dir/cfg" >"$log" 2>&1
check "it is good, without warnings" test $? -eq 0
said() { grep -A2 "cfg:$1:.*notice: $2" "$log" >"$dir/said"; }
check "a notice for the bind line" said 14 "with 'proto h1', 'h2' is left out"

lines "" "bind $old ssl crt $certs/site.pem npn h2,http/1.1" | config
start_penstock
agreed() { # LINE OFFERED AGREED: empty: nothing
	eval "at=\$$1"
	timeout 60 openssl s_client -connect "$at" -servername www.example.com ${2:+-alpn} $2 \
		</dev/null >"$dir/said" 2>/dev/null
	if [ -n "$3" ]; then
		check "$1, offered '$2': '$3'" grep -q "^ALPN protocol: $3\$" "$dir/said"
	else
		check "$1, offered '$2': nothing" grep -q "^No ALPN negotiated" "$dir/said"
	fi
}
for line in front list usual; do
	agreed $line h2,http/1.1 h2
	agreed $line http/1.1,h2 h2
	agreed $line http/1.1 http/1.1
	agreed $line h2 h2
	agreed $line spdy/3 ''
	agreed $line '' ''
done
agreed only h2,http/1.1 h2
agreed only http/1.1 ''
agreed none h2,http/1.1 ''
agreed h1 h2,http/1.1 http/1.1
agreed h1 h2 ''
agreed old h2,http/1.1 h2
agreed tcp h2,http/1.1 h2
agreed plain h2,http/1.1 ''
printf 'GET / HTTP/1.0\r\n\r\n' | timeout 60 openssl s_client -connect "$usual" -servername www.example.com \
	-alpn http/1.1 -ign_eof >"$dir/said" 2>/dev/null
check "rules see it" grep -q "^alpn=<http/1.1> npn=<>" "$dir/said"
check "npn is warned of" grep -q "warning: 'npn' has no effect" "$log"
finish
