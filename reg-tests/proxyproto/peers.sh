#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# nginx and haproxy as peers: they read our PROXY headers, and we read theirs, of both versions
# where they have both. What is not installed is left out, and said.
. "${0%/*}/../lib.sh"

have() { command -v "$1" >/dev/null || { say "skipped: $1 is not installed"; return 1; }; }
have python3 || exit 77
have nginx || have haproxy || exit 77

set -- $(ports 12)
p1=$1 p2=$2 p3=$3 p4=$4 p5=$5 p6=$6 p7=$7 p8=$8 p9=$9
shift 9
p10=$1 p11=$2 p12=$3

# peer NAME COMMAND...: starts it and waits until its first port listens.
peer() {
	name=$1 wait_for=$2
	shift 2
	"$@" >"$dir/$name.log" 2>&1 &
	children="$children $!"
	until_true 30 python3 -c "import socket; socket.create_connection(('127.0.0.1', $wait_for), 5)" && return 0
	cat "$dir/$name.log"
	fail "$name does not start"
	return 1
}

# say_to.py PORT [HEADER]: the body of the answer to a request behind a header; our own port is
# "own".
cat >"$dir/ask.py" <<'END'
import socket, sys
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=60)
for header in sys.argv[2:]:
    s.sendall(bytes.fromhex(header[1:]) if header[0] == "x" else header.encode() + b"\r\n")
s.sendall(b"GET / HTTP/1.1\r\nHost: peer.example\r\nConnection: close\r\n\r\n")
got = b""
while True:
    piece = s.recv(4096)
    if not piece:
        break
    got += piece
body = got.split(b"\r\n\r\n", 1)[-1].decode().strip()
print(body.replace(":%d" % s.getsockname()[1], ":own"))
END
# answers WHAT WANTED PORT [HEADER]
answers() {
	what=$1 wanted=$2
	shift 2
	got=$(timeout 100 python3 "$dir/ask.py" "$@" 2>&1 | tail -n 1)
	check "$what: $got" test "$got" = "$wanted"
}

# A header of version 2 that names 192.0.2.1:1001 and 198.51.100.2:2002, with the authority "name".
v2=x0d0a0d0a000d0a515549540a21110013c0000201c633640203e907d20200046e616d65
v1="PROXY TCP4 192.0.2.1 198.51.100.2 1001 2002"
v6="PROXY TCP6 2001:db8::1 2001:db8::2 1001 2002"

# p1: reads headers and tells; p2 to p7: to whom each peer speaks, in which version.
config <<END
defaults
	mode http
	timeout connect 20s
	timeout client 60s
	timeout server 60s
	unique-id-format "id-%ci"
frontend tells
	bind 127.0.0.1:$p1 accept-proxy
	http-request return status 200 content-type text/plain lf-string "%[src]:%[src_port] %[dst]:%[dst_port] %[fc_pp_authority] %[fc_pp_unique_id]"
listen to_haproxy_1
	bind 127.0.0.1:$p2 accept-proxy
	server s 127.0.0.1:$p8 send-proxy
listen to_haproxy_2
	bind 127.0.0.1:$p3 accept-proxy
	server s 127.0.0.1:$p8 send-proxy-v2-ssl proxy-v2-options crc32c,unique-id,authority set-proxy-v2-tlv-fmt(0xE0) anything
listen to_nginx_1
	bind 127.0.0.1:$p4 accept-proxy
	server s 127.0.0.1:$p10 send-proxy
listen to_nginx_2
	bind 127.0.0.1:$p5 accept-proxy
	server s 127.0.0.1:$p10 send-proxy-v2 proxy-v2-options crc32c,unique-id
listen to_nginx_tcp
	mode tcp
	bind 127.0.0.1:$p6 accept-proxy
	server s 127.0.0.1:$p10 send-proxy-v2
END
start_penstock
answers "penstock alone" "192.0.2.1:1001 198.51.100.2:2002 name" "$p1" "$v2"

if have haproxy; then
	say "## haproxy"
	cat >"$dir/haproxy.cfg" <<END
defaults
	mode http
	timeout connect 20s
	timeout client 60s
	timeout server 60s
	unique-id-format "their-%ci"
frontend tells
	bind 127.0.0.1:$p8 accept-proxy
	http-request return status 200 content-type text/plain lf-string "%[src]:%[src_port] %[dst]:%[dst_port] %[fc_pp_authority] %[fc_pp_unique_id]"
listen to_penstock_1
	bind 127.0.0.1:$p9 accept-proxy
	server s 127.0.0.1:$p1 send-proxy
listen to_penstock_2
	bind 127.0.0.1:$p7 accept-proxy
	server s 127.0.0.1:$p1 send-proxy-v2-ssl-cn proxy-v2-options crc32c,unique-id,authority
END
	if peer haproxy "$p9" haproxy -db -f "$dir/haproxy.cfg"; then
		answers "version 1 to haproxy" "192.0.2.1:1001 198.51.100.2:2002" "$p2" "$v1"
		answers "the same of IPv6" "2001:db8::1:1001 2001:db8::2:2002" "$p2" "$v6"
		answers "version 2 to haproxy" "192.0.2.1:1001 198.51.100.2:2002 name id-192.0.2.1" "$p3" "$v2"
		answers "the same of IPv6" "2001:db8::1:1001 2001:db8::2:2002  id-2001:db8::1" "$p3" "$v6"
		answers "version 1 from haproxy" "192.0.2.1:1001 198.51.100.2:2002" "$p9" "$v1"
		answers "the same of IPv6" "2001:db8::1:1001 2001:db8::2:2002" "$p9" "$v6"
		answers "version 2 from haproxy" "192.0.2.1:1001 198.51.100.2:2002 name their-192.0.2.1" "$p7" "$v2"
		answers "the same of IPv6" "2001:db8::1:1001 2001:db8::2:2002  their-2001:db8::1" "$p7" "$v6"
		answers "its own addresses, of a connection without a client" \
			"127.0.0.1:own 127.0.0.1:$p9" "$p9" "PROXY UNKNOWN"
	fi
fi

stream=
for folder in /usr/lib/nginx/modules /usr/lib64/nginx/modules /etc/nginx/modules; do
	[ ! -e "$folder/ngx_stream_module.so" ] || stream=$folder/ngx_stream_module.so
done
if have nginx; then
	say "## nginx"
	{
		[ -z "$stream" ] || say "load_module $stream;"
		cat <<END
$(nginx_http)
	access_log off;
	server {
		listen 127.0.0.1:$p10 proxy_protocol;
		location / {
			return 200 "\$proxy_protocol_addr:\$proxy_protocol_port \$proxy_protocol_server_addr:\$proxy_protocol_server_port";
		}
	}
}
END
		[ -z "$stream" ] || cat <<END
stream {
	server {
		listen 127.0.0.1:$p11 proxy_protocol;
		set_real_ip_from 127.0.0.1;
		proxy_protocol on;
		proxy_pass 127.0.0.1:$p1;
	}
	server {
		listen 127.0.0.1:$p12;
		proxy_protocol on;
		proxy_pass 127.0.0.1:$p1;
	}
}
END
	} >"$dir/nginx.conf"
	if peer nginx "$p10" nginx -c "$dir/nginx.conf" -p "$dir"; then
		both="192.0.2.1:1001 198.51.100.2:2002" both6="2001:db8::1:1001 2001:db8::2:2002"
		answers "version 1 to nginx" "$both" "$p4" "$v1"
		answers "the same of IPv6" "$both6" "$p4" "$v6"
		answers "version 2 to nginx" "$both" "$p5" "$v2"
		answers "the same of IPv6" "$both6" "$p5" "$v6"
		answers "in mode tcp" "$both" "$p6" "$v1"
		if [ -n "$stream" ]; then
			answers "from nginx, of its client" "127.0.0.1:own 127.0.0.1:$p12" "$p12"
			answers "from nginx, of a client that it was told" "192.0.2.1:1001 127.0.0.1:$p11" "$p11" "$v1"
		else
			say "skipped: nginx has no stream module"
		fi
	fi
fi
exactly ProxyHeadersRefused 0
finish
