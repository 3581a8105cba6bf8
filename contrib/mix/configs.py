# SPDX-License-Identifier: BSD-2-Clause
"""Random configurations: words that have little to do with each other, in one file."""
import random

import mix_h2

REQ_FETCH = """req.hdr(x-id) path url method req.hdrs base query src src_port dst_port req.body req.body_len req.len
 req.payload(0,20) req.payload(0,0) req.payload(3,40) req.payload_lv(0,1) req.body_param(a) urlp(x) urlp_val(id) url_param(s)
 cook(SRV) cook(a) req.cook_cnt hdr_cnt rand(5) date uuid hostname unique-id fc_rtt http_auth_user http_auth(ul) baseq
 url32 base32+src req.hdr_names req.ver capture.req.hdr(0) capture.req.uri capture.req.method fc_err fc_pp_authority
 req.ssl_sni req.ssl_hello_type req.rdp_cookie(x) ssl_fc_cipher ssl_fc_session_id ssl_fc so_name fe_name be_name
 nbsrv(b1) be_conn(b1) avg_queue(b1) connslots(b1) fe_conn srv_is_up(b1/s1) queue(b1) last_rule_line
 var(txn.a) var(req.b) var(sess.c) var(proc.d) str(abc) int(42) bool(1) ipv4(1.2.3.4) bin(00ff61) always_true wait_end
 req.hdrs_bin req.fhdr(host) hdr_ip(x-id) http_first_req bc_src bc_dst_port cur_server_timeout prio_class ssl_bc
 status res.len srv_name txn_nothing""".split()[:-1]
RES_FETCH = """res.hdr(x-id) status res.hdrs res.body res.body_len res.len res.payload(0,20) res.payload(2,0) res.ver res.cook(SRV)
 scook_val(JSID) res.hdr_names res.hdrs_bin capture.res.hdr(0) srv_name srv_id bc_src bc_src_port be_name
 res.comp res.comp_algo bc_err var(txn.a) var(res.e) var(req.b) var(sess.c) capture.req.uri req.hdr(x-id) path
 method str(x) rand(4) date src ssl_bc_cipher be_server_timeout unique-id""".split()
CONV = """lower upper length hex base64 b64dec url_dec url_enc bytes(1,4) field(1,/) word(2,a) crc32 xxh64 sha1 sha2(256)
 json_query('$.a') json(ascii) regsub(a,bb,g) concat(-,txn.a,.) add(3) mod(7) mul(2) neg not odd even bool iif(y,n) ipmask(24)
 http_date ltime(%Y) djb2 strcmp(txn.a) set-var(txn.a) set-var(req.b) unset-var(txn.a) cut_crlf ltrim(/) rtrim(1) host_only port_only hex2i
 digest(md5) hmac(sha1,a2V5) ub64enc be2dec(.,2) jwt_header_query('$.alg') language(en) wt6(1) htonl field(2,.) capture-req(0) capture-res(0)
 map_str(@map) map_beg(@map,none) map_reg(@map)""".split()


def expression(r, fetches, files):
    e = r.choice(fetches)
    for _ in range(r.choice([0, 0, 0, 1, 1, 2, 4])):
        e += "," + r.choice(CONV)
    return e.replace("@map", files + "/map")


def condition(r, fetches, files, often=.6):
    if r.random() > often:
        return ""
    out = []
    for _ in range(r.choice([1, 1, 1, 2, 3])):
        e = expression(r, fetches, files)
        t = r.choice(["%s -m found" % e, "%s -m found" % e, "%s -m sub 1 2 a" % e, "%s -m beg / G" % e,
                      "%s -m str POST GET" % e, "%s -m len gt 3" % e, "%s -m reg a.*1" % e, "%s -m int gt 3" % e,
                      "rand(%d) lt 1" % r.choice([2, 3, 5, 10]), "rand(4) lt 2", "path_beg /a", "path_beg /b", "method POST PUT",
                      "req.len gt 2000", "wait_end", "path_sub img", "res.len gt 3000", "status ge 400"])
        out.append(("!" if r.random() < .2 else "") + "{ %s }" % t)
    return r.choice([" if ", " unless ", " if "]) + r.choice([" ", " or "]).join(out)


def fmt(r, fetches, files):
    return '"%s"' % r.choice(["x", "%%[%s]" % expression(r, fetches, files).replace('"', ''),
                              "a-%%[%s]-%%[%s]" % (expression(r, fetches, files), expression(r, fetches, files)),
                              "%[src]:%[src_port]", "", "y" * 200])


class Config:
    def __init__(self, run):
        self.run, self.r = run, random.Random("%s/config" % run.seed)
        self.lines = []

    def some(self, share, *lines):
        if self.r.random() < share:
            self.lines.append("\t" + self.r.choice(lines))

    def drop(self):
        """The client is not told: it has to give up."""
        if not self.run.silent:
            return "reject"
        self.run.hold = 6
        return "silent-drop"

    def answer(self):
        d = self.run.dir
        return self.r.choice([
            "", "", "content-type text/plain string hello", "content-type text/plain file %s/big" % d,
            "content-type text/plain lf-string %s" % fmt(self.r, REQ_FETCH, d), "default-errorfiles",
            "errorfile %s/big.http" % d, "errorfiles errs",
            "content-type text/plain lf-string %s hdr x-own %s" % (fmt(self.r, REQ_FETCH, d), fmt(self.r, REQ_FETCH, d))])

    def request_rule(self, be):
        r, d = self.r, self.run.dir
        f = lambda: fmt(r, REQ_FETCH, d)
        e = lambda: expression(r, REQ_FETCH, d)
        small = " if { rand(%d) lt 1 }" % r.choice([3, 6, 10])
        action = r.choice([
            "set-header X-R %s" % f(), "add-header X-R %s" % f(), "del-header X-R", "del-header x-p -m beg",
            "replace-header X-Pad (.*)p(.*) \\1q\\2", "replace-value Cookie (.*) \\1", "set-header X-Long %[req.hdrs,hex]",
            "set-path /n%[path]", "set-query %s" % f(), "replace-path (.*) \\1z", "set-uri /a%[url]", "replace-pathq /(.*) /\\1",
            "set-var(txn.a) %s" % e(), "set-var(req.b) %s" % e(), "set-var(sess.c) %s" % e(), "set-var(proc.d) %s" % e(),
            "set-var-fmt(txn.a) %s" % f(), "unset-var(txn.a)", "capture %s len %d" % (e(), r.choice([1, 10, 200])),
            "set-log-level silent", "early-hint Link %s" % f(), "early-hint X-E a", "disable-l7-retry",
            "wait-for-body time %dms at-least %d" % (r.choice([10, 100, 2000]), r.choice([1, 100, 20000])),
            "wait-for-body time %dms" % r.choice([10, 200, 2000]), "set-priority-class int(3)", "set-nice %d" % r.choice([-1000, 1000]),
            "set-src ipv4(9.8.7.6)", "set-dst-port int(99)", "strict-mode off", "set-map(%s/map) %%[path] %s" % (d, f()),
            "del-map(%s/map) %%[path]" % d, "add-acl(%s/acl) %%[path]" % d, "del-acl(%s/acl) %%[path]" % d,
            "normalize-uri path-merge-slashes", "normalize-uri query-sort-by-name", "wait-for-handshake",
            "set-timeout %s %dms" % (r.choice(["server", "tunnel"]), r.choice([50, 500, 3000])),
            "set-tos 3", "allow", "set-header Host h%[rand(3)]", "set-header Expect x", "del-header Expect"])
        if r.random() < .25:
            code = r.choice([200, 400, 403, 429, 503, 404, 500])
            action = r.choice([
                "deny deny_status %d %s" % (code, self.answer()), "deny", "tarpit", "tarpit deny_status %d" % code,
                "return status %d %s" % (r.choice([200, 204, 403, 503, 304]), self.answer()), "return %s" % self.answer(),
                "redirect location /x%[path]", "redirect prefix /p code 301", "redirect scheme https drop-query",
                "auth realm x", "reject", self.drop(), "use-service prometheus-exporter"])
            return "http-request " + action + (small if r.random() < .8 else condition(r, REQ_FETCH, d, 1))
        return "http-request " + action + condition(r, REQ_FETCH, d)

    def response_rule(self, kind="http-response"):
        r, d = self.r, self.run.dir
        f = lambda: fmt(r, RES_FETCH, d)
        e = lambda: expression(r, RES_FETCH, d)
        small = " if { rand(%d) lt 1 }" % r.choice([3, 6, 10])
        action = r.choice([
            "set-header X-S %s" % f(), "add-header X-S %s" % f(), "del-header X-S", "replace-header X-Pad (.*)p(.*) \\1q\\2",
            "set-header X-Long %[res.hdrs,hex]", "set-var(txn.a) %s" % e(), "set-var(res.e) %s" % e(), "set-var-fmt(sess.c) %s" % f(),
            "capture %s id 0" % e(), "set-log-level silent", "unset-var(txn.a)", "strict-mode off", "allow",
            "replace-value Set-Cookie (.*) \\1"])
        if kind == "http-response":
            if r.random() < .2:
                action = r.choice(["wait-for-body time %dms at-least %d" % (r.choice([10, 100, 2000]), r.choice([1, 100, 20000])),
                                   "wait-for-body time 100ms", "set-nice 500", "set-tos 2"])
            if r.random() < .2:
                return kind + " " + r.choice([
                    "deny", "deny deny_status 500 %s" % self.answer(), "return status %d %s" % (r.choice([200, 204, 503]), self.answer()),
                    "redirect location /y", self.drop()]) + small
        if r.random() < .1:
            self.run.changes_bodies = True
            return kind + " set-status %d" % r.choice([200, 204, 304, 500, 404, 299]) + small
        return kind + " " + action + condition(r, RES_FETCH, d)

    def content_rule(self, way):
        r, d = self.r, self.run.dir
        fetches = REQ_FETCH if way == "request" else RES_FETCH
        e = expression(r, fetches, d)
        action = r.choice(["accept"] * 4 + ["set-var(txn.a) %s" % e, "set-var(sess.c) %s" % e, "set-log-level err",
                                           "set-nice 3"] +
                          (["capture %s len 20" % e, "set-priority-class int(2)", "set-dst-port int(5)"]
                           if way == "request" else []))
        if r.random() < .1:
            return "tcp-%s content %s if { rand(5) lt 1 }" % (way, r.choice(["reject", self.drop(), "close"]))
        return "tcp-%s content %s%s" % (way, action, condition(r, fetches, d, .8))

    def proxy(self, front, back, mode):
        r, run, some = self.r, self.run, self.some
        http = mode == "http"
        for _ in range(r.choice([0, 0, 0, 1, 2, 3])):
            some(1, self.content_rule("request"))
        some(.3, "tcp-request inspect-delay %dms" % r.choice([10, 100, 1000]))
        if back:
            for _ in range(r.choice([0, 0, 0, 1, 2])):
                some(1, self.content_rule("response"))
            some(.3, "tcp-response inspect-delay %dms" % r.choice([10, 100]))
        some(.15, "option splice-request", "option splice-response", "option splice-auto", "no option splice-response")
        some(.1, "option abortonclose")
        some(.1, "option contstats") if front else None
        some(.1, "option dontlognull") if front else None
        some(.1, "timeout client-fin 50ms") if front else some(.1, "timeout server-fin 50ms")
        some(.1, "timeout tunnel %dms" % r.choice([50, 500, 4000])) if back else None
        if http:
            for _ in range(r.choice([0, 0, 1, 2, 4])):
                some(1, self.request_rule(back))
            for _ in range(r.choice([0, 0, 1, 2])):
                some(1, self.response_rule())
            for _ in range(r.choice([0, 0, 0, 1])):
                some(1, self.response_rule("http-after-response"))
            some(.25, "option http-buffer-request")
            some(.25, "compression algo gzip deflate", "compression algo gzip", "compression algo raw-deflate identity")
            if "compression" in self.lines[-1] and r.random() < .7:
                some(1, "compression type text/plain text/html")
                some(.2, "compression offload")
            some(.3, "option httpclose", "option http-server-close", "option http-keep-alive", "option http-no-delay",
                 "option http-pretend-keepalive", "option httpclose")
            some(.15, "option forwardfor", "option forwardfor if-none header X-F", "option originalto")
            some(.1, "option http-ignore-probes") if front else None
            some(.1, "option h1-case-adjust-bogus-client") if front else some(.2, "option h1-case-adjust-bogus-server")
            some(.1, "option accept-invalid-http-request") if front else some(.1, "option accept-invalid-http-response")
            some(.1, "option idle-close-on-response") if front else None
            some(.1, "timeout http-request %s" % r.choice(["30ms", "300ms", "2s"])) if front else None
            some(.1, "timeout http-keep-alive %s" % r.choice(["20ms", "300ms", "2s"]))
            some(.2, "timeout tarpit %s" % r.choice(["20ms", "200ms"]))
            some(.1, "monitor-uri /a/mon") if front else None
            some(.2, "errorfile 502 %s/big.http" % run.dir, "errorfile 503 %s/small.http" % run.dir, "errorfiles errs",
                 "http-error status 502 content-type text/plain lf-string %s" % fmt(r, REQ_FETCH, run.dir),
                 "errorloc 503 http://a/", "http-error status 408 content-type text/plain file %s/big" % run.dir)
            some(.15, "stats uri /c", "stats enable")
            some(.15, "unique-id-format %{+X}o\\ %ci:%cp_%Ts_%rt:%pid\n\tunique-id-header X-Unique") if front else None
            some(.3, "capture request header X-Id len 20\n\tcapture response header X-Id len 10\n\tcapture cookie SRV len 9") if front else None
            some(.2, "redirect location /r if { rand(20) lt 1 }")
        if front:
            some(.5, "option httplog", "option httplog clf", "option tcplog", "option httpslog") if http else some(.3, "option tcplog")
            if r.random() < .4:
                self.lines.append("\tlog-format \"%s %s\"" % (
                    "%ci %cp %t %ft %b %s %Ta %Tc %Td %Th %Ti %Tq %TR %Tr %Tt %Tu %Tw %ST %B %U %CC %CS %tsc %ac %fc %bc %sc %rc %sq %bq %hr %hs %r %HM %HP %HQ %HU %HV %ID %lc %rt %trg %trl %{+Q}r %H %si %sp %bi %bp %fi %fp %sslc %sslv" if http else "%ci %cp %t %ft %b %s %B %U %ts %ac %rt %Tt",
                    " ".join("%%[%s]" % expression(r, REQ_FETCH + RES_FETCH, run.dir) for _ in range(r.choice([0, 1, 4])))))
            some(.2, "option logasap")
            some(.1, "maxconn 5")
            some(.05, "rate-limit sessions 50")

    def backend(self, name, mode, shares):
        r, run, some = self.r, self.run, self.some
        http = mode == "http"
        if name:
            self.lines.append("backend %s\n\tmode %s" % (name, mode))
            self.proxy(False, True, mode)
        some(.5, "balance roundrobin", "balance leastconn", "balance source", "balance first", "balance random") if not http else \
            some(.6, "balance roundrobin", "balance leastconn", "balance uri", "balance url_param x check_post", "balance hdr(x-id)",
                 "balance random", "balance uri whole depth 2", "hash-balance-factor 150\n\tbalance uri\n\thash-type consistent",
                 "balance hash req.hdr(x-id)")
        if http:
            some(.3, "cookie SRV insert", "cookie SRV insert indirect nocache", "cookie SRV rewrite", "cookie JSID prefix",
                 "cookie SRV insert dynamic\n\tdynamic-cookie-key k", "cookie SRV insert preserve maxidle 10s", "cookie SRV insert postonly")
            some(.6, "http-reuse never", "http-reuse aggressive", "http-reuse always", "http-reuse safe")
            some(.4, "retry-on all-retryable-errors", "retry-on conn-failure empty-response response-timeout junk-response",
                 "retry-on 500 503 404 0rtt-rejected", "retry-on empty-response junk-response 425")
            some(.1, "http-send-name-header X-Srv")
            some(.1, "use-server s2 if { path_beg /b }", "use-server %[req.hdr(x-srv)] if { rand(2) lt 1 }")
            some(.1, "option prefer-last-server")
        some(.5, "retries %d" % r.choice([0, 1, 2, 3]))
        some(.3, "option redispatch", "option redispatch 1")
        some(.3, "timeout queue %dms" % r.choice([20, 200, 2000]))
        some(.1, "fullconn 3")
        some(.1, "source 127.0.0.1")
        limit = lambda: r.choice(["", "", "", " maxconn 1", " maxconn 2 maxqueue 1", " maxconn 3 minconn 1", " maxconn 10"])
        pool = lambda: r.choice(["", "", " pool-max-conn 0", " pool-max-conn 1", " pool-purge-delay 50ms", " max-reuse 1", " pool-low-conn 2"])
        proxy = {"v1": " send-proxy", "v2": r.choice([" send-proxy-v2", " send-proxy-v2-ssl-cn", " send-proxy-v2 proxy-v2-options unique-id,crc32c"])}.get(run.origin_proxy, "")
        tls = " ssl verify none" + r.choice(["", "", " no-ssl-reuse", " force-tlsv12", " sni req.hdr(host)", " alpn http/1.1"]) if run.tls_back else ""
        proto = ""
        if http and mix_h2.THERE and r.random() < .35:
            proto = r.choice([" alpn h2", " alpn h2,http/1.1"]) if run.tls_back else " proto h2"
            tls = tls.replace(" alpn http/1.1", "")
            run.h2.add("server")
        for i, o in enumerate(run.origins):
            self.lines.append("\tserver s%d 127.0.0.1:%d%s%s%s%s%s%s%s" % (
                i + 1, o.port, limit(), pool() if http else "", proxy, tls, proto, " cookie s%d" % (i + 1) if http and shares else "",
                r.choice(["", "", "", " weight 5", " check inter 100ms", " observe layer4 error-limit 3 check inter 50ms",
                          " observe layer7 on-error mark-down check inter 100ms fastinter 20ms", " backup", " redir http://r.example", " slowstart 1s",
                          " on-marked-down shutdown-sessions check"]) if http else r.choice(["", " check"])))
        some(.2, "server dead 127.0.0.1:1%s" % tls, "server hole 127.0.0.1:%d%s" % (run.hole, tls))

    def make(self):
        r, run, lines = self.r, self.run, self.lines
        d = run.dir
        lines += ["global", "\tinsecure-syscalls-wanted" if self.run.o.wrap else "", "\tstats socket %s/sock level admin" % d, "\texpose-experimental-directives",
                  "\tlog 127.0.0.1:%d local0" % run.logger.getsockname()[1]]
        some = self.some
        size = r.choice([0, 0, 0, 8192, 1100, 2048, 4096, 32768, 65536])
        if size:
            lines.append("\ttune.bufsize %d\n\ttune.maxrewrite %d" % (size, r.choice([0, size // 4])))
        some(.2, "maxpipes 0", "maxpipes 1", "maxpipes 3")
        some(.1, "nosplice")
        some(.1, "tune.sndbuf.client 4608", "tune.sndbuf.server 4608", "tune.rcvbuf.server 4608")
        some(.1, "tune.maxpollevents 2", "tune.maxpollevents 1")
        some(.1, "tune.http.maxhdr 20")
        some(.1, "tune.pipesize 4096", "tune.pipesize 65536")
        some(.1, "tune.vars.txn-max-size 100", "tune.vars.sess-max-size 10")
        some(.1, "tune.comp.maxlevel 9", "maxzlibmem 1", "maxcomprate 10")
        some(.1, "tune.buffers.limit 20", "tune.buffers.limit 60")
        some(.1, "tune.recv_enough 100")
        some(.1, "maxconn 20")
        some(.1, "tune.idletimer 0")
        some(.1, "tune.pool-low-fd-ratio 1\n\ttune.pool-high-fd-ratio 2")
        some(.3, "h1-case-adjust x-id X-ID\n\th1-case-adjust content-length Content-LENGTH\n\th1-case-adjust host HOST")
        some(.1, "tune.ssl.maxrecord 500", "tune.ssl.hard-maxrecord 900")
        some(.1, "spread-checks 50")
        ms = lambda: r.choice(["40ms", "100ms", "300ms", "1s", "2s", "3s", "3s", "3s", "3s"])
        lines += ["http-errors errs", "\terrorfile 503 %s/small.http" % d, "\terrorfile 403 %s/big.http" % d, "\terrorfile 200 %s/small.http" % d,
                  "userlist ul", "\tuser joe insecure-password secret"]
        lines += ["defaults", "\tmode http", "\tlog global", "\ttimeout connect %s" % r.choice(["50ms", "1s"]), "\ttimeout client %s" % ms(),
                  "\ttimeout server %s" % ms()]
        for i, f in enumerate(run.fronts):
            f.mode = r.choice(["http"] * 7 + ["tcp", "tcp"])
            one = r.random() < .3
            f.h2 = f.mode == "http" and mix_h2.THERE and r.random() < .35
            if f.h2:
                run.h2.add("front")
            http2 = r.choice(["", " alpn h2,http/1.1" if f.tls else " proto h2"]) if f.h2 else ""
            # kernels lose the first byte where connections find the queue full
            lines.append("%s f%d\n\tmode %s\n\tbind 127.0.0.1:%d backlog 1000%s%s%s%s" % (
                "listen" if one else "frontend", i, f.mode, f.port, " accept-proxy" if f.proxy else "",
                " ssl crt %s/t.pem%s" % (d, r.choice(["", "", " alpn http/1.1" if not f.h2 else "", " ssl-max-ver TLSv1.2", " no-tls-tickets"])) if f.tls else "",
                http2,
                r.choice(["", "", "", " defer-accept", " nice 500", " tfo", " maxconn 4"])))
            self.proxy(True, one, f.mode)
            if one:
                self.backend(None, f.mode, True)
            elif f.mode == "tcp":
                some(.4, "tcp-request content switch-mode http if { req.proto_http }", "use_backend b1 if { req.proto_http }")
                lines.append("\tdefault_backend t1")
            else:
                some(.3, "use_backend b2 if { path_beg /b }", "use_backend b%[rand(3)]", "use_backend %[path,field(2,/)]")
                lines.append("\tdefault_backend b1")
        self.backend("b1", "http", True)
        self.backend("b2", "http", False)
        self.backend("t1", "tcp", False)
        self.text = "\n".join(lines) + "\n"
        return self.text
