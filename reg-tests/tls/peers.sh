#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# nginx and haproxy as servers behind us that speak TLS 1.2 and 1.3: what they say of each
# connection (version, name, protocol, client's certificate, PROXY header, resumed or not), large
# bodies, checks, and that they are not believed when their certificate is not what it should be.
# What is not installed is left out, and said.
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"

have() { command -v "$1" >/dev/null || { say "skipped: $1 is not installed"; return 1; }; }
have python3 || exit 77
peers=
have haproxy && peers="haproxy"
have nginx && peers="$peers nginx"
case $peers in
*nginx*) ;;
*) exit 77 ;; # it has the files
esac

authority ca
authority clients
authority strangers
signed site ca www.example.com
signed friend clients friend.example.com
set -- $(ports 11)
plain=$1
n_v12=$2 n_v13=$3 n_ids=$4 n_known=$5 n_proxied=$6
h_v12=$7 h_v13=$8 h_ids=$9
shift 9
h_known=$1 h_proxied=$2
kinds="v12 v13 ids known proxied"
mkdir "$dir/www"
head -c 3000000 /dev/urandom >"$dir/www/big"

nginx_server() { # PORT WORDS-OF-LISTEN LINES
	cat <<END
	server {
		listen 127.0.0.1:$1 ssl $2;
		ssl_certificate $certs/site.crt;
		ssl_certificate_key $certs/site.key;
		$3
		location / { return 200 "$facts"; }
		location /big { root $dir/www; }
	}
END
}
facts='version=$ssl_protocol resumed=$ssl_session_reused name=$ssl_server_name alpn=$ssl_alpn_protocol client=$ssl_client_s_dn from=$proxy_protocol_addr:$proxy_protocol_port connection=$connection'
cat >"$dir/nginx.conf" <<END
$(nginx_http)
	log_format facts '\$server_port \$request_uri \$ssl_protocol \$ssl_session_reused \$ssl_server_name';
	access_log $dir/nginx.access facts;
	ssl_session_cache shared:s:1m;
	server {
		listen 127.0.0.1:$plain;
		root $dir/www;
	}
$(nginx_server "$n_v12" "" "ssl_protocols TLSv1.2;")
$(nginx_server "$n_v13" "" "ssl_protocols TLSv1.3;")
$(nginx_server "$n_ids" "" "ssl_protocols TLSv1.2; ssl_session_tickets off;")
$(nginx_server "$n_known" "" "ssl_protocols TLSv1.2 TLSv1.3; ssl_client_certificate $certs/clients.pem; ssl_verify_client on;")
$(nginx_server "$n_proxied" "proxy_protocol" "ssl_protocols TLSv1.2 TLSv1.3;")
}
END
cat >"$dir/haproxy.cfg" <<END
global
	stats socket $dir/haproxy.sock
defaults
	mode http
	timeout connect 60s
	timeout client 60s
	timeout server 60s
frontend f
	bind 127.0.0.1:$h_v12 ssl crt $certs/site.pem alpn http/1.1 force-tlsv12
	bind 127.0.0.1:$h_v13 ssl crt $certs/site.pem alpn http/1.1 force-tlsv13
	bind 127.0.0.1:$h_ids ssl crt $certs/site.pem alpn http/1.1 force-tlsv12 no-tls-tickets
	bind 127.0.0.1:$h_known ssl crt $certs/site.pem alpn http/1.1 verify required ca-file $certs/clients.pem
	bind 127.0.0.1:$h_proxied ssl crt $certs/site.pem alpn http/1.1 accept-proxy
	http-request return status 200 content-type text/plain lf-string "version=%[ssl_fc_protocol] resumed=%[ssl_fc_is_resumed] name=%[ssl_fc_sni] alpn=%[ssl_fc_alpn] client=CN=%[ssl_c_s_dn(cn)] from=%[src]:%[src_port]" unless { path /big }
	default_backend files
backend files
	server s 127.0.0.1:$plain
END

server="ssl verify required ca-file $certs/ca.pem verifyhost www.example.com sni str(www.example.com) alpn http/1.1"
{
	cat <<END
defaults d
	mode http
	timeout client 1m
	timeout connect 1m
	timeout server 1m
	retries 0
frontend front
	bind $front
	use_backend %[req.hdr(to)]
END
	for peer in $peers; do
		p=$(echo "$peer" | cut -c1)
		for kind in $kinds; do
			eval "port=\$${p}_$kind"
			more=
			[ $kind = known ] && more="crt $certs/friend.pem"
			[ $kind = proxied ] && more="send-proxy-v2"
			cat <<END
backend $peer-$kind
	http-reuse never
	server s 127.0.0.1:$port $server $more
backend $peer-$kind-kept
	http-reuse always
	server s 127.0.0.1:$port $server $more
backend $peer-$kind-anew
	http-reuse never
	server s 127.0.0.1:$port $server $more no-ssl-reuse
backend $peer-$kind-checked
	option httpchk GET /check-of-$kind HTTP/1.1
	http-check send hdr Host www.example.com
	server s 127.0.0.1:$port check inter 200ms check-ssl verify required ca-file $certs/ca.pem check-sni www.example.com check-alpn http/1.1 $more $([ $kind = proxied ] && echo check-send-proxy)
END
		done
		eval "port=\$${p}_v13 known=\$${p}_known"
		cat <<END
backend $peer-stranger
	server s 127.0.0.1:$port ssl verify required ca-file $certs/strangers.pem check inter 200ms
backend $peer-misnamed
	server s 127.0.0.1:$port ssl verify required ca-file $certs/ca.pem verifyhost other.example.com check inter 200ms
backend $peer-unknown
	server s 127.0.0.1:$known $server
END
	done
} | config

peer() { # NAME COMMAND...
	name=$1
	shift
	"$@" >"$dir/$name.log" 2>&1 &
	children="$children $!"
}
peer nginx nginx -c "$dir/nginx.conf" -p "$dir"
case $peers in *haproxy*) peer haproxy haproxy -db -f "$dir/haproxy.cfg" ;; esac
for port in $plain $(case $peers in *haproxy*) echo "$h_v12" ;; esac); do
	until_true 60 python3 -c "import socket; socket.create_connection(('127.0.0.1', $port), 5)" ||
		{ cat "$dir"/*.log; fail "a peer does not start"; finish; }
done
start_penstock
python3 "${0%.sh}.py" "$front" "$tool" "$stats" "$dir/www/big" $peers || failures=$((failures + 1))
# The same by nginx's own log: of the visits to one port all but the first of a session were
# resumed.
logged() { grep -c "^$1 / $2 $3 www.example.com$" "$dir/nginx.access"; }
check "nginx's log: TLS 1.2 resumed" test "$(logged "$n_v12" TLSv1.2 r)" -ge 2
check "nginx's log: TLS 1.3 resumed" test "$(logged "$n_v13" TLSv1.3 r)" -ge 2
check "nginx's log: resumed by id" test "$(logged "$n_ids" TLSv1.2 r)" -ge 2
check "nginx's log: checks ask by name" grep -q "^$n_v13 /check-of-v13 TLSv1.3 . www.example.com$" "$dir/nginx.access"
[ "$failures" -eq 0 ] || tail -n 20 "$dir/nginx.err" "$dir/haproxy.log"
finish
