#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Words of sections "resolvers", and of server lines that name one: what is taken, and what is
# refused with which sentence.
. "${0%/*}/../lib.sh"

"$PENSTOCK" -vv | grep -q '+CARES' || { say "this build asks no name servers"; exit 77; }

# judge SECTION-LINES SERVER-WORDS
judge() {
	{
		printf 'resolvers dns\n\tnameserver ns1 127.0.0.1:5353\n%s\n' "$1"
		http_defaults
		printf 'listen l\n\tbind %s\n\tserver s1 %s\n' "$front" "$2"
	} >"$dir/cfg"
	"$PENSTOCK" -c -f "$dir/cfg" >"$log" 2>&1
}
taken() { judge "$1" "${2:-127.0.0.1:80}"; check "taken: $1 $2" test $? -eq 0 || cat "$log"; }
refused() { # SENTENCE SECTION-LINES SERVER-WORDS
	judge "$2" "${3:-127.0.0.1:80}" && fail "taken: $2 $3"
	check "refused: $2 $3" grep -qF -e "$1" "$log" || cat "$log"
}

taken "	nameserver ns2 tcp@127.0.0.1:53
	nameserver ns3 [::1]:53
	parse-resolv-conf
	hold nx 1s
	hold obsolete 1s
	hold other 1s
	hold refused 1s
	hold timeout 1s
	hold valid 1s
	resolve_retries 2
	timeout resolve 2s
	timeout retry 2s
	accepted_payload_size 8192"
refused "port" "	nameserver ns2 127.0.0.1"
refused "another name server 'ns1'" "	nameserver ns1 127.0.0.2:53"
refused "'check' has no meaning" "	nameserver ns2 127.0.0.1:53 check"
for address in localhost:53 tcp@localhost:53 ipv4@localhost:53 stream+ipv4@127.0.0.1:53 "stream+ipv6@[::1]:53" \
	"dgram+ipv6@[::1]:53" dgram+ip@127.0.0.1:53 udp@127.0.0.1:53 stream+unix@/tmp/x uxst@/tmp/x stream+abns@x "*:53" :53; do
	taken "	nameserver ns2 $address"
done
for address in unix@/tmp/x /tmp/x dgram+unix@/tmp/x abns@x uxdg@/tmp/x; do
	refused "stream+unix@" "	nameserver ns2 $address"
done
refused "file descriptor" "	nameserver ns2 fd@5"
refused "QUIC" "	nameserver ns2 quic4@127.0.0.1:53"
refused "range of ports" "	nameserver ns2 127.0.0.1:53-55"
tcp="	nameserver ns2 tcp@127.0.0.1:53"
taken "$tcp maxconn 5 source 127.0.0.1 tcp-ut 5s tfo"
refused "'maxconn'" "$tcp maxconn many"
refused "'foo' is not known" "$tcp foo"
for word in check "weight 10" "cookie x" "resolvers dns" backup send-proxy "socks4 127.0.0.1:1" "proto h2" "init-addr none"; do
	refused "'${word%% *}' has no meaning behind a name server" "$tcp $word"
done
if "$PENSTOCK" -vv | grep -q '+OPENSSL'; then
	taken "$tcp ssl verify none sni str(dns.example) alpn dot ssl-min-ver TLSv1.3"
	refused "there is no 'ca-file'" "$tcp ssl verify required"
	refused "there is no client" "$tcp ssl verify none sni req.hdr(host)"
	refused "ca-file" "$tcp ssl ca-file /nosuch"
fi
refused "name server expected" "	nameserver"
refused "ns2.invalid" "	nameserver ns2 ns2.invalid:53"
refused "hold" "	hold never 1s"
refused "hold" "	hold nx"
refused "accepted_payload_size" "	accepted_payload_size 11"
refused "resolve_retries" "	resolve_retries 0"
refused "timeout" "	timeout resolve 0"
refused "another section 'resolvers dns'" "resolvers dns"
refused "name of the section" "resolvers"

server_words="resolvers dns resolve-prefer ipv4 resolve-net 10.0.0.0/8,127.0.0.0/255.0.0.0,::/0 resolve-opts allow-dup-ip,ignore-weight,prevent-dup-ip"
taken "" "a.test:80 init-addr none $server_words"
taken "" "_http._tcp.test resolvers dns"
taken "" "a.test:80 resolvers default init-addr none"
refused "no such section" "" "a.test:80 resolvers nope init-addr none"
refused "resolvers" "" "a.test:80 init-addr none resolvers"
refused "resolve-prefer" "" "a.test:80 resolvers dns init-addr none resolve-prefer ipv5"
refused "is no network" "" "a.test:80 resolvers dns init-addr none resolve-net 10.0.0.0/33"
refused "is no network" "" "a.test:80 resolvers dns init-addr none resolve-net 10.0.0.0/255.0.255.0"
refused "known option" "" "a.test:80 resolvers dns init-addr none resolve-opts dup"
for state in fully-up up down fully-down none; do
	taken "" "a.test:80 resolvers dns init-addr none check init-state $state"
	check "and silently" test "$(wc -l <"$log")" -le 1 || cat "$log"
done
refused "init-state" "" "127.0.0.1:80 check init-state dead"
refused "init-state" "" "127.0.0.1:80 check init-state"
refused "'init-state' and 'track'" "" "127.0.0.1:80 check
	server s2 127.0.0.1:80 track s1 init-state down"
taken "" "127.0.0.1:80 init-state down"
check "without checks it is told to have no effect" grep -qF "'init-state' has no effect without 'check'" "$log"
server_words="init-state down"
taken "" "127.0.0.1:80 check $server_words"
printf 'resolvers empty\n' >"$dir/cfg"
"$PENSTOCK" -c -f "$dir/cfg" >"$log" 2>&1
check "a section without name servers is warned about" grep -qF "resolvers 'empty' have no name server" "$log"
finish
