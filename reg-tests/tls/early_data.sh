#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Early data (allow-0rtt) are accepted, and acted upon when the handshake is done: whoever records
# and repeats them gets nothing done. Without the word they are refused and sent anew.
. "${0%/*}/../lib.sh"

"$PENSTOCK" -vv | grep -q '+OPENSSL' || exit 77
openssl req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:P-256 -days 30 -subj /CN=localhost \
	-keyout "$dir/key" -out "$dir/crt" 2>/dev/null || exit 77
cat "$dir/crt" "$dir/key" >"$dir/pem"
config <<END
	nbproc 2
frontend fe
	mode http
	timeout client 2m
	bind $front ssl crt $dir/pem allow-0rtt
	bind $back ssl crt $dir/pem
	http-request wait-for-handshake
	http-request return status 200 content-type text/plain lf-string "early %[ssl_fc_has_early] %[path]\n"
END
start_penstock
printf 'GET /early HTTP/1.0\r\n\r\n' >"$dir/request"
# A client that says it early, through what records its first words.
python3 - "$front" "$back" "$dir" "$tool" "$stats" <<'PY' || fail "early data"
import select, socket, subprocess, sys, threading
front, back, folder, tool, stats = sys.argv[1:6]


def check(what, good, more=""):
    print(("ok      " if good else "FAILED  ") + what, more if not good else "")
    if not good:
        sys.exit(1)


def requests():
    said = subprocess.run([tool, "-s", stats, "ask", "show stat"], capture_output=True, text=True).stdout
    names, *rows = [l.split(",") for l in said.split("\n") if l]
    row = [r for r in rows if r[:2] == ["fe", "FRONTEND"]][0]
    return int(row[names.index("req_tot")])


def place(text):
    host, port = text.rsplit(":", 1)
    return host, int(port)


def client(to, *options):
    return subprocess.run(["timeout", "60", "openssl", "s_client", "-connect", to, "-tls1_3", "-ign_eof",
                           *options], input=b"" if "-early_data" in options else
                          b"GET /first HTTP/1.0\r\n\r\n", capture_output=True).stdout


class Recorder:
    """Passes one connection on; what the client says before anything comes back is kept."""

    def __init__(self, to):
        self.to, self.first = to, b""
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        a = self.listener.accept()[0]
        b = socket.create_connection(place(self.to))
        answered = False
        while True:
            for s in select.select([a, b], [], [])[0]:
                data = s.recv(65536)
                if not data:
                    a.close()
                    b.close()
                    return
                if s is b:
                    answered = True
                elif not answered:
                    self.first += data
                (b if s is a else a).sendall(data)


session, request = folder + "/session", folder + "/request"
check("a session", b"early 0 /first" in client(front, "-sess_out", session))
recorder = Recorder(front)
said = client(recorder.address, "-sess_in", session, "-early_data", request)
check("early data are accepted", b"Early data was accepted" in said and b"early 0 /early" in said, said)
before = requests()
for i in range(8):
    s = socket.create_connection(place(front))
    s.settimeout(60)
    s.sendall(recorder.first)
    s.shutdown(socket.SHUT_WR)
    while s.recv(65536):
        pass
check("repeating them does nothing", requests() == before == 2)

check("a session", b"early 0 /first" in client(back, "-sess_out", session))
said = client(back, "-sess_in", session, "-early_data", request)
check("without the word none are sent", b"Early data was not sent" in said, said)
PY
finish
