#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Early data of clients (allow-0rtt): requests in them are forwarded and answered before the
# client's Finished, marked by Early-Data, seen by ssl_fc_has_early; rules wait for the handshake or
# refuse. In mode tcp as well, and by the lines of a crt-list. Without the word they are refused and
# sent anew.
. "${0%/*}/../lib.sh"
. "${0%/*}/early.sh"

tcp=127.0.0.1:$(ports 1)
list=127.0.0.1:$(ports 1)
small=127.0.0.1:$(ports 1)
cat >"$dir/list" <<END
$dir/pem [allow-0rtt] early.example.com
$dir/pem late.example.com
END
config <<END
defaults d
	mode http
	timeout connect 1m
	timeout client 2m
	timeout server 2m
frontend fe
	bind $front ssl crt $dir/pem allow-0rtt
	http-request set-header x-before %[ssl_fc_has_early]
	http-request deny deny_status 425 if { path_beg /deny } { ssl_fc_has_early }
	http-request wait-for-handshake if { path_beg /wait }
	http-request set-header x-now %[ssl_fc_has_early]
	http-request return status 200 content-type text/plain lf-string "early %[ssl_fc_has_early]" if { path_beg /own }
	use_backend again if { path_beg /again }
	default_backend be
frontend plain
	bind $back ssl crt $dir/pem
	default_backend be
frontend list
	bind $list ssl crt-list $dir/list strict-sni
	default_backend be
frontend tcp
	mode tcp
	bind $tcp ssl crt $dir/pem allow-0rtt
	default_backend tcp
backend be
	server s1 $origin
backend tcp
	mode tcp
	server s1 $origin
backend again
	retry-on 425
	server s1 $origin
END
start_penstock
early_test "$front" "$back" "$tcp" "$list" <<'PY'
front, back, tcp, lists = addresses
first, said = early.session(front, get("/first"))
check("what comes late is not marked", b"x-before: 0" in said and b"early-data" not in said.lower())

c, said = before_finished(front, get("/one") + get("/own") + get("/two"))
check("a request is answered before the client has finished", b"GET /one" in said and c.accepted(), said)
check("it is marked", b"\nearly-data: 1\r" in said and b"x-before: 1" in said, said)
said = c.response()
check("we answer ourselves, too", said.endswith(b"early 1"), said)
said = c.response()
check("and a third one behind them", b"GET /two" in said and b"\nearly-data: 1\r" in said, said)
c.send()
c.write(get("/late"))
said = c.response()
check("behind the handshake nothing is marked", b"x-before: 0" in said and b"early-data" not in said.lower(), said)
c.close()

c, said = before_finished(front, get("/mine", b"Early-Data: 1\r\n"))
check("the client's own mark stays, alone", said.lower().count(b"early-data: 1") == 1, said)
c.close()
c = late(front, get("/mine", b"Early-Data: 1\r\n"))
check("behind the handshake, too", c.response().lower().count(b"early-data: 1") == 1)
c.close()

c, said = before_finished(front, get("/deny"))
check("a rule refuses early data", said.startswith(b"HTTP/1.1 425"), said)
c.close()

c = early.Client(front, first)
c.early(get("/wait"))
c.handshake(send=False)
c2, said = before_finished(front, get("/meanwhile"))
check("a rule waits for the handshake", b"/meanwhile" in said and not any(b"/wait" in l for l in seen), said)
c.send()
said = c.response()
check("and goes on with it", b"x-before: 1" in said and b"x-now: 0" in said and b"early-data" not in said.lower(), said)
c.close()
c2.close()

c, said = before_finished(front, get("/bye", b"Connection: close\r\n"))
check("an answer before the end", b"GET /bye" in said, said)
c.send()
check("the end follows the handshake", c.read() == b"" and c.eof)
c.close()

c, said = before_finished(front, get("/425"))
check("a 425 is passed on", said.startswith(b"HTTP/1.1 425"), said)
c.close()
c = early.Client(front, first)
c.early(get("/again/425"))
c.handshake(send=False)
c2, said = before_finished(front, get("/again/meanwhile"))
check("a retry after 425 waits for the handshake", len([l for l in seen if b"/again/425" in l]) == 1)
c.send()
said = c.response()
check("and is not marked", b"200 OK" in said and b"early-data" not in said.lower(), said)
c.close()
c2.close()
c, said = before_finished(front, get("/again/425x", b"Early-Data: 1\r\n"))
check("unless the client has marked it", said.startswith(b"HTTP/1.1 425"), said)
c.close()

c, said = before_finished(tcp, get("/tcp"))
check("mode tcp", b"GET /tcp" in said and c.accepted(), said)
c.send()
c.write(get("/more"))
check("goes on", b"GET /more" in c.response())
c.close()

session, said = early.session(back, get("/first"))
check("without the word none are announced", early.lib.SSL_SESSION_get_max_early_data(session) == 0)
session, said = early.session(front, get("/first"))
check("as many as fit a buffer are", early.lib.SSL_SESSION_get_max_early_data(session) == 15360)
session, said = early.session(lists, get("/first"), name=b"late.example.com")
check("nor for a line of the list without", early.lib.SSL_SESSION_get_max_early_data(session) == 0)
c, said = before_finished(lists, get("/list"), name=b"early.example.com")
check("for a line with it they are taken", b"GET /list" in said and c.accepted(), said)
c.close()
PY
finish
