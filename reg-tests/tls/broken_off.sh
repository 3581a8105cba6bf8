#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A server that breaks off is passed on to clients of TLS as a RST, and not behind a FIN: what came
# before would look complete to whoever reads to the end of the stream.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null && python3 -c "import ssl" || { say "needs python3 with ssl"; exit 77; }
command -v openssl >/dev/null || { say "needs openssl"; exit 77; }
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=a \
	-keyout "$dir/a.key" -out "$dir/a.crt" 2>"$dir/req.log" || { cat "$dir/req.log"; exit 1; }
cat "$dir/a.crt" "$dir/a.key" >"$dir/a.pem"
bind_words="ssl crt $dir/a.pem"
tcp_proxy | config
start_penstock
cat >"$dir/client.py" <<'END'
import socket, ssl, struct, sys

front, back = map(int, sys.argv[1:])
listener = socket.create_server(("127.0.0.1", back))
listener.settimeout(50)
bad = 0
for version in ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.minimum_version = context.maximum_version = version
    client = context.wrap_socket(socket.create_connection(("127.0.0.1", front)))
    client.settimeout(50)
    client.sendall(b"hello")
    server, _ = listener.accept()
    server.settimeout(50)
    server.recv(100)
    server.sendall(b"world")
    got = client.recv(100)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    server.close()
    plain = socket.socket(fileno=client.detach())
    plain.settimeout(50)
    try:
        end = plain.recv(100)
    except OSError as e:
        end = e
    print("       ", version.name, got, repr(end))
    bad += got != b"world" or not isinstance(end, ConnectionResetError)
sys.exit(bad)
END
timeout 100 python3 "$dir/client.py" "${front##*:}" "${back##*:}" || fail "it looks like an end"
stop_penstock
finish
