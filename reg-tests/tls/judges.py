# SPDX-License-Identifier: BSD-2-Clause
"""sslyze, tlslite-ng and testssl.sh against the TLS configurations of examples/ and one that names
no settings: see judges.sh.

    judges.py PENSTOCK FOLDER-OF-EXAMPLES FOLDER-FOR-FILES JUDGE...
"""
import json
import os
import socket
import subprocess
import sys

sys.dont_write_bytecode = True
from examples_lib import EXAMPLES, WORK, Example, check, run

CERTS = WORK + "/certs"
JUDGES = sys.argv[4:]
ADDRESSES = {"termination": "192.0.2.16", "redirect-hsts": "192.0.2.17", "mutual": "192.0.2.19",
             "reencrypt": "192.0.2.20", "plainest": "192.0.2.30"}
PLAINEST = """
defaults
	mode http
	timeout client 30s
	timeout connect 30s
	timeout server 30s
listen f
	bind 192.0.2.30:443 ssl crt /etc/penstock/tls/certs
	server s 10.0.12.1:8080
"""
GOOD_CURVES = {"X25519", "secp256r1", "secp384r1"}
# What testssl.sh says about the house's authority, addresses without a reverse name, and what only
# a domain has.
OF_THE_TEST = ("cert_chain_of_trust", "cert_crlDistributionPoints", "cert_revocation", "DNS_CAArecord", "OCSP_stapling",
               "cert_ocspURL", "cert_mustStapleExtension", "certificate_transparency", "cert_caIssuers", "HSTS",
               "HTTP_status_code", "security_headers", "BREACH", "BREACH_cert", "cert_trust", "overall_grade",
               "grade_cap_reason", "scanProblem", "engine_problem", "service", "HPKP", "HSTS_time", "banner_server")


class Judged(Example):
    def __init__(self, name):
        super().__init__(name)
        text = PLAINEST
        if name != "tls-plainest":
            with open(f"{EXAMPLES}/{name}.cfg", encoding="utf-8") as f:
                text = f.read()
        self.path = f"{WORK}/{name}.cfg"
        with open(self.path, "w", encoding="utf-8") as f:
            f.write(text.replace("/etc/penstock/tls", CERTS))

    def __enter__(self):
        """Nobody is behind it: judges look at the handshake."""
        print("##", self.name)
        self.start()
        return self


def sslyze(name, address):
    for _ in range(3):  # on a machine that has much to do a scan may run out of its time
        results, said = sslyze_scan(name, address)
        if results and not sslyze_missed(results):
            break
    if not results:
        print(said)
        check("sslyze has connected", False)
        return
    sslyze_versions(results)
    sslyze_faults(results)
    sslyze_settings(name, results)
    if name != "plainest":
        verdict = said.partition("Checking results against")[2]
        good = "OK - Compliant" in verdict
        check("what Mozilla recommends (intermediate)", good)
        if not good:
            print(verdict)


def sslyze_scan(name, address):
    """What it found, and what it said."""
    options = ["--cert", CERTS + "/friend.crt", "--key", CERTS + "/friend.key"] if name == "mutual" else []
    out = f"{WORK}/sslyze.json"
    scans = ["certinfo", "sslv2", "sslv3", "tlsv1", "tlsv1_1", "tlsv1_2", "tlsv1_3", "compression", "openssl_ccs",
             "fallback", "heartbleed", "robot", "reneg", "resum", "early_data", "elliptic_curves", "ems"]
    said = subprocess.run([sys.executable, "-W", "ignore", "-m", "sslyze", "--slow_connection", "--mozilla_config",
                           "intermediate", "--json_out", out, "--certinfo_ca_file", CERTS + "/house-ca.pem"] + options +
                          ["--" + scan for scan in scans] + ["www.example.com:443{%s}" % address],
                          capture_output=True, text=True, check=False).stdout
    if not os.path.exists(out):
        return None, said
    with open(out, encoding="utf-8") as f:
        results = json.load(f)["server_scan_results"][0]["scan_result"]
    os.unlink(out)
    return results, said


def sslyze_missed(results):
    return [scan for scan, found in results.items() if found["status"] == "ERROR"]


def of(results, scan):
    """What a scan found; one that did not come to its end is a fault."""
    if results[scan]["status"] != "COMPLETED":
        check(f"{scan} comes to its end: {results[scan]['error_reason']}", False)
        print(results[scan].get("error_trace"))
        return {}
    return results[scan]["result"]


def sslyze_versions(results):
    spoken = [v for v in ("ssl_2_0", "ssl_3_0", "tls_1_0", "tls_1_1", "tls_1_2", "tls_1_3")
              if of(results, v + "_cipher_suites").get("is_tls_version_supported")]
    check(f"it speaks {', '.join(spoken)}", spoken == ["tls_1_2", "tls_1_3"])


def sslyze_faults(results):
    check("no compression", of(results, "tls_compression").get("supports_compression") is False)
    check("no CCS injection", of(results, "openssl_ccs_injection").get("is_vulnerable_to_ccs_injection") is False)
    check("no way down by fallback", of(results, "tls_fallback_scsv").get("supports_fallback_scsv"))
    check("no heartbleed", of(results, "heartbleed").get("is_vulnerable_to_heartbleed") is False)
    robot = of(results, "robot").get("robot_result", "")
    check(f"no ROBOT: {robot}", robot.startswith("NOT_VULNERABLE"))
    renegotiation = of(results, "session_renegotiation")
    check("no renegotiation by clients, secure where it is known",
          renegotiation.get("is_vulnerable_to_client_renegotiation_dos") is False and
          renegotiation.get("supports_secure_renegotiation"))
    check("no early data unless asked for", of(results, "tls_1_3_early_data").get("supports_early_data") is False)
    check("secrets belong to their handshake (EMS)",
          of(results, "tls_extended_master_secret").get("supports_ems_extension"))


def sslyze_settings(name, results):
    resumption = of(results, "session_resumption")
    ids, tickets = (resumption.get(kind, "") for kind in ("session_id_resumption_result",
                                                        "tls_ticket_resumption_result"))
    wanted = "NOT_SUPPORTED" if name == "termination" else "FULLY_SUPPORTED"
    check(f"sessions are resumed: by id {ids}, by ticket {tickets}", ids == "FULLY_SUPPORTED" and tickets == wanted)
    certificates = of(results, "certificate_info").get("certificate_deployments", [])
    kinds = sorted(c["verified_certificate_chain"][0]["public_key"]["algorithm"]
                   for c in certificates if c["verified_certificate_chain"])
    check(f"certificates that verify: {', '.join(kinds)}", len(kinds) == len(certificates) and len(kinds) >= 1)
    if name in ("termination", "plainest"):
        check("of both kinds", len(kinds) == 2)
    if name == "plainest":
        return
    curves = {c["name"] for c in of(results, "elliptic_curves").get("supported_curves", [])}
    check(f"curves: {', '.join(sorted(curves))}", curves == GOOD_CURVES)
    suites = [s["cipher_suite"]["name"] for s in of(results, "tls_1_2_cipher_suites").get("accepted_cipher_suites", [])]
    check("TLS 1.2 with forward secrecy and authenticated ciphers alone",
          suites and all("ECDHE" in s and ("GCM" in s or "POLY1305" in s) for s in suites))


def tlslite(name, address):
    """An implementation that shares nothing with OpenSSL: versions, each suite of ciphers, curves,
    new keys, sessions."""
    try:
        from tlslite.api import HandshakeSettings, TLSConnection, X509, X509CertChain, parsePEMKey
        from tlslite.constants import KeyUpdateMessageType
        from tlslite.errors import BaseTLSException
    except ImportError:
        print("skipped: no tlslite-ng (pip install tlslite-ng)")
        return
    chain = key = None
    if name == "mutual":
        with open(CERTS + "/friend.crt", encoding="utf-8") as f:
            chain = X509CertChain([X509().parse(f.read())])
        with open(CERTS + "/friend.key", encoding="utf-8") as f:
            key = parsePEMKey(f.read(), private=True)

    def visit(session=None, new_keys=False, **words):
        """What was agreed upon and how two requests were answered, or the error."""
        settings = HandshakeSettings()
        for word, value in words.items():
            setattr(settings, word, value)
        s = TLSConnection(socket.create_connection((address, 443), 60))
        try:
            s.handshakeClientCert(chain, key, session=session, settings=settings, serverName="www.example.com")
            answers = []
            for _ in range(2):
                if new_keys:
                    for _ in s.send_keyupdate_request(KeyUpdateMessageType.update_requested):
                        pass
                s.sendall(b"GET / HTTP/1.1\r\nHost: www.example.com\r\n\r\n")
                answers.append(bytes(s.recv(65536))[:9])
            spoken = s.version  # close() forgets it
            s.close()
            return s, answers == [b"HTTP/1.1 "] * 2 and settings.minVersion <= spoken <= settings.maxVersion
        except (BaseTLSException, OSError) as e:
            return e, False

    # With a certificate of ours tlslite-ng 0.8 makes a mistake in TLS 1.3, which openssl s_server
    # refuses as well.
    versions = [(3, 3)] if name == "mutual" else [(3, 3), (3, 4)]
    for version in versions:
        only = {"minVersion": version, "maxVersion": version}
        for cipher in "aes128gcm", "aes256gcm", "chacha20-poly1305":
            s, good = visit(cipherNames=[cipher], **only)
            check(f"tlslite: version {version}, {cipher}{'' if good else f': {s!r}'}", good)
        for curve in "x25519", "secp256r1", "secp384r1":
            # A certificate of P-256 wants that curve, too, below TLS 1.3.
            s, good = visit(eccCurves=[curve] if version == (3, 4) else [curve, "secp256r1"], keyShares=[curve] if version == (3, 4) else [], **only)
            check(f"tlslite: version {version}, {curve}{'' if good else f': {s!r}'}", good)
        s, good = visit(**only)
        again, good_again = visit(session=s.session, **only) if good else (s, False)
        check(f"tlslite: version {version}, a session is resumed", good_again and again.resumed)
    if (3, 4) in versions:
        s, good = visit(new_keys=True, minVersion=(3, 4))
        check(f"tlslite: new keys, of both{'' if good else f': {s!r}'}", good)
    for version in (3, 1), (3, 2):
        s, _ = visit(minVersion=version, maxVersion=version)
        check(f"tlslite: version {version} is refused: {s}", isinstance(s, BaseTLSException))
    if name != "plainest":
        s, _ = visit(cipherNames=["aes128", "aes256"], minVersion=(3, 3), maxVersion=(3, 3))
        check(f"tlslite: CBC is refused: {s}", isinstance(s, BaseTLSException))


def testssl(name, address):
    if name == "mutual":
        return  # it has no certificate to show
    out = f"{WORK}/testssl.json"
    subprocess.run(["testssl", "--quiet", "--color", "0", "--warnings", "off", "--nodns", "none", "--add-ca",
                    CERTS + "/house-ca.pem", "--jsonfile", out, "--ip", address, "www.example.com"],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=False)
    with open(out, encoding="utf-8") as f:
        findings = json.load(f)
    os.unlink(out)
    check(f"testssl has judged: {len(findings)} findings", len(findings) > 100)
    # LUCKY13 and suites of CBC are what a line without settings has, as OpenSSL has them.
    most = ("OK", "INFO", "LOW", "MEDIUM") if name == "plainest" else ("OK", "INFO", "LOW")
    for f in findings:
        if f["severity"] not in most and not f["id"].split(" ")[0].startswith(OF_THE_TEST):
            check(f"{f['id']}: {f['severity']}: {f['finding']}", False)
        elif f["severity"] not in ("OK", "INFO"):
            print("note   ", f["id"], f["severity"], f["finding"])


def judge(name):
    def all_of_them():
        for judge_name in JUDGES:
            {"sslyze": sslyze, "tlslite": tlslite, "testssl": testssl}[judge_name](name, ADDRESSES[name])
    return all_of_them


run("tls-", [(name, judge(name)) for name in ADDRESSES], Judged)
