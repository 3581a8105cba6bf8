/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of lines about streams that are wrong: rules on how they are treated, what servers
 * are told of them, where they come from. All modules read them. */
#include "config/test_problems.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdio.h>

/* A line of a section, and what is said of it; NULL: nothing. */
struct row {
	const char *line, *said;
};

static void are_said(const char *before, const char *behind, const struct row *rows, size_t count)
{
	char text[500], expected[500];
	size_t i;

	for (i = 0; i < count; i++) {
		snprintf(text, sizeof(text), "%s %s\n%s", before, rows[i].line, behind);
		snprintf(expected, sizeof(expected), "3 %s\n", rows[i].said ? rows[i].said : "");
		config_says(text, rows[i].said ? expected : "");
	}
}
#define ARE_SAID(before, behind, rows)                                                            \
	are_said(before, behind, rows, sizeof(rows) / sizeof((rows)[0]))
#define SERVER " server s 127.0.0.1:80\n"
#define IN_LISTEN(rows) ARE_SAID("listen l\n bind 127.0.0.1:1\n", SERVER, rows)
#define IN_FRONT(rows)                                                                            \
	ARE_SAID("frontend f\n bind 127.0.0.1:1\n", " default_backend b\nbackend b\n" SERVER, rows)
#define IN_BACK(rows)                                                                             \
	ARE_SAID("backend b\n" SERVER, "frontend f\n bind 127.0.0.1:1\n default_backend b\n", rows)

static void rules_of_treatment(void **state)
{
	static const struct row rows[] = {
		{ "http-request set-timeout server 5s", NULL },
		{ "http-request set-timeout client 5s", NULL },
		{ "http-request set-timeout server 0", "error: the time cannot be 0" },
		{ "http-request set-timeout servers 5s",
		  "error: 'servers' is not a known timeout" },
		{ "http-response set-timeout server 5s", NULL },
		{ "http-response set-timeout tunnel 5s", NULL },
		{ "http-response set-timeout connect 5s",
		  "error at connect: 'timeout connect' is over when the response is there" },
		{ "http-response set-timeout queue 5s",
		  "error at queue: 'timeout queue' is over when the response is there" },
		{ "http-response set-timeout tarpit 5s",
		  "error at tarpit: 'timeout tarpit' is over when the response is there" },
		{ "http-request set-retries 3", NULL },
		{ "http-request set-log-level nothing",
		  "error: 'nothing' is not a known log level" },
		{ "http-request set-log-level", "error: a log level expected here" },
		{ "http-request set-log-level silent", NULL },
		{ "http-request set-log-level debug", NULL },
		{ "http-request set-mark 0xffffffff", NULL },
		{ "http-request set-mark 4294967296",
		  "error: a number from 0 to 4294967295 is expected, in decimal or as 0x..., or "
		  "an expression" },
		{ "http-request set-mark -1",
		  "error: a number from 0 to 4294967295 is expected, in decimal or as 0x..., or "
		  "an expression" },
		{ "http-request set-tos 255", NULL },
		{ "http-request set-tos 256",
		  "error: a number from 0 to 255 is expected, in decimal or as 0x..., or an "
		  "expression" },
		{ "http-request set-tos 0xf0x",
		  "error: a number from 0 to 255 is expected, in decimal or as 0x..., or an "
		  "expression" },
		{ "http-request set-tos", "error: a value of the TOS field expected here" },
		{ "http-request set-mark", "error: a mark expected here" },
		{ "http-request set-bandwidth-limit x",
		  "error: 'l' has no filter bwlim-in or bwlim-out 'x'" },
	};
	static const struct row front[] = {
		{ "http-request set-timeout client 5s", NULL },
		{ "http-request set-timeout tarpit 5s", NULL },
		{ "http-request set-timeout server 5s",
		  "error at server: 'timeout server' is that of a backend: this is none" },
		{ "http-request set-timeout queue 5s",
		  "error at queue: 'timeout queue' is that of a backend: this is none" },
		{ "http-request set-retries 3",
		  "error at set-retries: 'retries' are those of a backend: this is none" },
	};
	static const struct row back[] = {
		{ "http-request set-timeout client 5s",
		  "error at client: 'timeout client' is that of a frontend: this is none" },
		{ "http-request set-timeout tarpit 5s", NULL },
		{ "http-request set-timeout server 5s", NULL },
	};

	(void)state;
	IN_LISTEN(rows);
	IN_FRONT(front);
	IN_BACK(back);
}

static void rules_of_captures(void **state)
{
#define NO_SLOT(n) "error: there is no slot " n ": 'declare capture' makes one, above this line"
	static const struct row rows[] = {
		{ "http-request capture src len 3", NULL },
		{ "http-request capture src",
		  "error: 'len' and a length, or 'id' and the number of a slot are expected" },
		{ "http-request capture src id 0", NO_SLOT("0") },
		{ "http-request capture src len 0",
		  "error: the length must be a number from 1 to 65536, not '0'" },
		{ "http-response capture res.hdr(a)",
		  "error: 'id' and the number of a slot are expected" },
		{ "http-response capture res.hdr(a) len 3",
		  "error: 'id' and the number of a slot are expected" },
		{ "http-response capture res.hdr(a) id 0", NO_SLOT("0") },
		{ "tcp-request content capture src", "error: 'len' and a length are expected" },
		{ "tcp-request content capture src id 0",
		  "error: 'len' and a length are expected" },
		{ "tcp-request content capture src len 3", NULL },
	};
	static const struct row declared[] = {
		{ "http-request capture src id 0\n", NULL },
		{ "http-request capture src id 1\n", NO_SLOT("1") },
		{ "http-response capture res.hdr(a) id 0\n", NO_SLOT("0") },
	};
	static const struct row back[] = {
		{ "http-request capture src len 3",
		  "error: only a frontend has slots of its own: 'id' names one that it declares" },
		{ "http-request capture src id 7", NULL },
		{ "tcp-request content capture src len 3",
		  "error: only a frontend has slots for captured values" },
	};

	(void)state;
	IN_LISTEN(rows);
	ARE_SAID("listen l\n declare capture request len 5\n", " bind 127.0.0.1:1\n" SERVER,
		 declared);
	IN_BACK(back);
}

static void other_rules(void **state)
{
	static const struct row rows[] = {
		{ "http-request do-resolve() src", "error: the name of a variable is missing" },
		{ "http-request do-resolve(txn.a) src",
		  "error: the name of a section 'resolvers' is missing" },
		{ "http-request do-resolve(txn.a,) src",
		  "error: the name of a section 'resolvers' is missing" },
		{ "http-request do-resolve(txn.a,r,ipv4,x) src",
		  "error at do-resolve(txn.a,r,ipv4,x): ')' is expected at ',x)'" },
		{ "tcp-request content use-service x",
		  "error: there is no service 'x' for mode tcp" },
		{ "tcp-request connection expect-proxy layer5",
		  "error at layer5: 'expect-proxy' takes 'layer4'" },
		{ "tcp-request connection expect-netscaler-cip",
		  "error at : 'expect-netscaler-cip' takes 'layer4'" },
		{ "tcp-request connection expect-proxy layer4", NULL },
		{ "http-request silent-drop rst-ttl 256 if { path / }",
		  "error: how many hops the reset passes must be a number from 1 to 255, not "
		  "'256'" },
		{ "tcp-request content switch-mode tcp",
		  "error: 'http' is expected, the one mode to switch to" },
		{ "tcp-request content switch-mode http proto h9",
		  "error: 'h9' is no version of HTTP: h1 and h2 are" },
		{ "tcp-request content switch-mode http proto",
		  "error: the name of a protocol expected here" },
		{ "tcp-response content track-sc0 src", "error: 'track-sc0' cannot be used in "
		  "'tcp-response content'" },
		{ "http-request track-sc3 src",
		  "error: 'track-sc3': there are 3 sticky counters; see "
		  "'tune.stick-counters'" },
	};
	static const struct row back[] = {
		{ "tcp-request content switch-mode http",
		  "error: only a frontend can switch to another mode" },
	};

	(void)state;
	IN_LISTEN(rows);
	IN_BACK(back);
}

static void words_of_servers(void **state)
{
#define V2(words) "server t 127.0.0.1:81 send-proxy-v2 " words
#define TYPE(word)                                                                                \
	"error: '" word "' is followed by a type in parentheses, from 0 to 255 in decimal or as "  \
	"0x...: " word "(0xE1)"
	static const struct row rows[] = {
		{ V2("proxy-v2-options ssl,crc32c"), NULL },
		{ V2("proxy-v2-options crc32c,x"),
		  "error at crc32c,x: 'x' is not known to 'proxy-v2-options': ssl, "
		  "cert-cn, ssl-cipher, cert-sig, cert-key, authority, crc32c, unique-id" },
		{ V2("proxy-v2-options"), "error: a list of options expected here" },
		{ V2("set-proxy-v2-tlv-fmt(0xE1) %[src]"), NULL },
		{ V2("set-proxy-v2-tlv-fmt(225) %[src]"), NULL },
		{ V2("set-proxy-v2-tlv-fmt(256) %[src]"), TYPE("set-proxy-v2-tlv-fmt") },
		{ V2("set-proxy-v2-tlv-fmt(-1) %[src]"), TYPE("set-proxy-v2-tlv-fmt") },
		{ V2("set-proxy-v2-tlv-fmt(1x) %[src]"), TYPE("set-proxy-v2-tlv-fmt") },
		{ V2("set-proxy-v2-tlv-fmt(3) %[src]"),
		  "error: the checksum is not given, but made: 'proxy-v2-options crc32c'" },
		{ "server t 127.0.0.1:81 sni status",
		  "error: 'status' looks at the server, which is not "
		  "there yet when a connection to the server is made" },
		{ "source 0.0.0.0 usesrc hdr_ip(x-a,-1)", NULL },
	};

	(void)state;
	IN_LISTEN(rows);
}

static void words_of_name_servers(void **state)
{
	static const struct row rows[] = {
		{ "nameserver n tcp@127.0.0.1:53 sni req.hdr(a)",
		  "error: name server 'n': there is no client whose name could be asked for by "
		  "'sni': only what is known beforehand, such as 'str(name)', can be" },
		{ "nameserver n tcp@127.0.0.1:53 weight 5",
		  "error: 'weight' has no meaning behind a name server" },
		{ "nameserver n tcp@127.0.0.1:53 maxconn 5", NULL },
	};

	(void)state;
	ARE_SAID("resolvers r\n timeout resolve 1s\n", "", rows);
}

static void lines_of_the_process(void **state)
{
	static const struct row rows[] = {
		{ "profiling.memory off", NULL },
		{ "profiling.memory", "error: 'on' or 'off' is expected" },
		{ "profiling.memory yes", "error: 'on' or 'off' is expected" },
		{ "profiling.memory on",
		  "error at on: 'profiling.memory': allocations are not counted by their "
		  "callers here: 'show pools' tells what there is of each kind" },
		{ "tune.fail-alloc 5", "warning: this has no effect without the option -dMfail" },
	};
	char text[200], expected[300];
	int len;
	unsigned i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(text, sizeof(text), "global\n %s\n", rows[i].line);
		len = snprintf(expected, sizeof(expected),
			       "1 note: this section stands behind others: which of its words "
			       "they see is not defined\n");
		if (rows[i].said)
			sprintf(expected + len, "2 %s\n", rows[i].said);
		config_says(text, expected);
	}
}

/* What a section of defaults says is checked where it is used. */
static void rules_of_defaults(void **state)
{
#define BACK "backend b from d\n" SERVER
#define FRONT "frontend f from d\n bind 127.0.0.1:1\n"
#define CANNOT(who, rule)                                                                         \
	"7 error: a " who " cannot use the defaults section 'd', which has rules of '" rule "'\n"
	static const struct {
		const char *section, *rule, *said;
	} rows[] = {
		{ BACK, "tcp-request connection", CANNOT("backend", "tcp-request connection") },
		{ BACK, "tcp-request session", CANNOT("backend", "tcp-request session") },
		{ FRONT, "tcp-response content", CANNOT("frontend", "tcp-response content") },
		{ BACK, "tcp-request content", "7 note: nothing leads to backend 'b'\n" },
		{ BACK, "tcp-response content", "7 note: nothing leads to backend 'b'\n" },
		{ FRONT, "tcp-request connection", "" },
		{ FRONT, "tcp-request session", "" },
	};
	char text[500];
	unsigned i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(text, sizeof(text),
			 "defaults d\n mode tcp\n timeout client 5s\n timeout server 5s\n"
			 " timeout connect 5s\n %s reject if { src 1.2.3.4 }\n%s",
			 rows[i].rule, rows[i].section);
		config_says(text, rows[i].said);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_of_treatment),
		cmocka_unit_test(rules_of_captures),
		cmocka_unit_test(other_rules),
		cmocka_unit_test(words_of_servers),
		cmocka_unit_test(words_of_name_servers),
		cmocka_unit_test(lines_of_the_process),
		cmocka_unit_test(rules_of_defaults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
