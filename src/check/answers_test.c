/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets of databases and directories, and the lines of agents: whole, cut at every byte, and
 * wrong ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bug.h"
#include "check/agent.h"
#include "check/answers.h"

#include <stdlib.h>
#include <string.h>

#define BYTES(text) { text, sizeof(text) - 1 }

enum protocol { GREETING, LOGIN, LDAP, SPOP };

static struct answer ask(enum protocol protocol, struct span bytes, bool last)
{
	switch (protocol) {
	case GREETING:
		return answer_mysql(bytes, true, last);
	case LOGIN:
		return answer_mysql(bytes, false, last);
	case LDAP:
		return answer_ldap(bytes, last);
	case SPOP:
		return answer_spop(bytes, 16380, last);
	}
	return (struct answer){ .status = CHECK_UNKNOWN };
}

#define HELLO "\x65\0\0\0\1\0\0"
#define VERSION "\x07version\x08\x03"
#define SIZE "\x0emax-frame-size\x03\xfc\xf0\x06"
#define SIZE_IS(bytes) "\x0emax-frame-size\x03" bytes

static const struct {
	enum protocol protocol;
	struct span bytes;
	enum check_status status;
	int code;
	const char *text;
} cases[] = {
	{ GREETING, BYTES("\x06\0\0\0\x0a" "8.0\0x"), CHECK_L7OK, 0, "8.0" },
	{ GREETING, BYTES("\x04\0\0\0\x0a" "8.0"), CHECK_L7OK, 0, "8.0" },
	{ GREETING, BYTES("\x01\0\0\0\x0a"), CHECK_L7OK, 0, "" },
	{ GREETING, BYTES("\0\0\0\0x"), CHECK_L7RSP, 0, NULL },
	{ GREETING, BYTES("\x05\0\0\0\xff\x10\x04no"), CHECK_L7STS, 1040, "no" },
	{ GREETING, BYTES("\x03\0\0\0\xff\x10\x04"), CHECK_L7STS, 1040, "" },
	{ GREETING, BYTES("\x02\0\0\0\xff\x10"), CHECK_L7RSP, 0, NULL },
	{ LOGIN, BYTES("\x07\0\0\2\0\0\0\2\0\0\0"), CHECK_L7OK, 0, NULL },
	{ LOGIN, BYTES("\x06\0\0\2\xff\x15\x04no!"), CHECK_L7STS, 1045, "no!" },
	{ LDAP, BYTES("\x30\x0c\2\1\1\x61\7\x0a\1\0\4\0\4\0"), CHECK_L7OK, 0, "Success" },
	{ LDAP, BYTES("\x30\x84\0\0\0\x10\2\1\1\x61\x84\0\0\0\7\x0a\1\0\4\0\4\0"), CHECK_L7OK, 0,
	  "Success" },
	{ LDAP, BYTES("\x30\x81\x0c\2\1\1\x61\7\x0a\1\0\4\0\4\0"), CHECK_L7OK, 0, "Success" },
	{ LDAP, BYTES("\x30\x0c\2\1\1\x61\7\x0a\1\x31\4\0\4\0"), CHECK_L7STS, 49,
	  "See RFC: http://tools.ietf.org/html/rfc4511#section-4.1.9" },
	{ LDAP, BYTES("\x30\x0c\2\1\2\x61\7\x0a\1\0\4\0\4\0"), CHECK_L7RSP, 0,
	  "Not LDAPv3 protocol" },
	{ LDAP, BYTES("\x30\x0c\2\1\1\x62\7\x0a\1\0\4\0\4\0"), CHECK_L7RSP, 0,
	  "Not LDAPv3 protocol" },
	{ LDAP, BYTES("\x30\x80\2\1\1\x61\7\x0a\1\0\4\0\4\0"), CHECK_L7RSP, 0,
	  "Not LDAPv3 protocol" },
	{ LDAP, BYTES("\x30\x85\0\0\0\0\x0c\2\1\1\x61\7\x0a\1\0"), CHECK_L7RSP, 0,
	  "Not LDAPv3 protocol" },
	{ LDAP, BYTES("\x30\x84\1\0\0\x0c\2\1\1\x61\7\x0a\1\0"), CHECK_L7RSP, 0,
	  "Not LDAPv3 protocol" },
	{ SPOP, BYTES("\0\0\0\x27" HELLO VERSION "2.0" SIZE), CHECK_L7OK, 0, "SPOA server is ok" },
	{ SPOP, BYTES("\0\0\0\x27" HELLO VERSION "1.0" SIZE), CHECK_L7RSP, 0,
	  "unsupported version" },
	{ SPOP, BYTES("\0\0\0\x14" HELLO VERSION "2.0"), CHECK_L7RSP, 0,
	  "max-frame-size value not found" },
	{ SPOP, BYTES("\0\0\0\x25" HELLO VERSION "2.0" SIZE_IS("\x64")), CHECK_L7RSP, 0,
	  "max-frame-size too big or too small" },
	{ SPOP, BYTES("\0\0\0\x2e" HELLO VERSION "2.0"
		      SIZE_IS("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")), CHECK_L7RSP, 0,
	  "invalid frame received" },
	{ SPOP, BYTES("\0\0\0\x1a" HELLO SIZE), CHECK_L7RSP, 0, "version value not found" },
	{ SPOP, BYTES("\0\0\0\x09" HELLO "\x05" "a"), CHECK_L7RSP, 0, "invalid frame received" },
	{ SPOP, BYTES("\0\0\0\x14" "\x66\0\0\0\1\0\0" "\x07message\x08\x03" "bad"), CHECK_L7RSP, 0,
	  "bad" },
	{ SPOP, BYTES("\0\0\0\x07" "\x66\0\0\0\1\0\0"), CHECK_L7RSP, 0, "normal" },
	{ SPOP, BYTES("\0\0\0\x07" "\x67\0\0\0\1\0\0"), CHECK_L7RSP, 0, "invalid frame received" },
	{ SPOP, BYTES("\0\0\0\x07" "\x65\0\0\0\0\0\0"), CHECK_L7RSP, 0,
	  "fragmentation not supported" },
	{ SPOP, BYTES("\0\0\0\x06" "\x65\0\0\0\1\0"), CHECK_L7RSP, 0, "invalid frame received" },
	{ SPOP, BYTES("\0\0\0\x07" "\x65\0\0\0\1\1\0"), CHECK_L7RSP, 0, "invalid frame received" },
	{ SPOP, BYTES("\0\x70\0\x06"), CHECK_L7RSP, 0, "frame is too big" },
};

static void answers_are_read(void **state)
{
	struct answer a;
	unsigned i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		a = ask(cases[i].protocol, cases[i].bytes, false);
		if (a.status != cases[i].status || a.code != cases[i].code)
			fail_msg("case %u: %d, code %d", i, a.status, a.code);
		if (!cases[i].text != !a.text.ptr ||
		    (a.text.ptr && !span_equal(a.text, span_of(cases[i].text))))
			fail_msg("case %u: '%.*s'", i, (int)a.text.len, a.text.ptr);
	}
}

/* A copy of the first bytes alone, for the address sanitizer; what is not complete waits, and fails
 * when nothing more will come; what is decided before the end is what the whole comes to. */
static void what_is_cut_waits(void **state)
{
	struct answer a, last;
	unsigned i;
	size_t n;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		for (n = 0; n < cases[i].bytes.len; n++) {
			char *copy = malloc(n ? n : 1);

			memcpy(copy, cases[i].bytes.ptr, n);
			a = ask(cases[i].protocol, (struct span){ copy, n }, false);
			last = ask(cases[i].protocol, (struct span){ copy, n }, true);
			if (a.status == CHECK_L7OK && cases[i].protocol != LDAP)
				fail_msg("case %u is good after %zu bytes", i, n);
			assert_true(last.status != CHECK_UNKNOWN);
			assert_true(a.status == CHECK_UNKNOWN || a.status == last.status);
			if (a.status != CHECK_UNKNOWN && a.status != cases[i].status)
				fail_msg("case %u: %d after %zu bytes", i, a.status, n);
			free(copy);
		}
	}
}

/* -- agents ---------------------------------------------------------------------------------- */

static const struct {
	const char *line, *weight, *maxconn, *word, *about;
	enum agent_admin admin;
	bool up;
} lines[] = {
	{ "up", NULL, NULL, "up", NULL, AGENT_ADMIN_NONE, true },
	{ "  UP ", NULL, NULL, "UP", NULL, AGENT_ADMIN_NONE, true },
	{ "75%,ready\tup maxconn:30", "75%", "30", "up", NULL, AGENT_READY, true },
	{ "drain", NULL, NULL, NULL, NULL, AGENT_DRAIN, false },
	{ "maint down", NULL, NULL, "down", NULL, AGENT_MAINT, false },
	{ "down #at night", NULL, NULL, "down", "at night", AGENT_ADMIN_NONE, false },
	{ "down#at night up", NULL, NULL, "down", "at night up", AGENT_ADMIN_NONE, false },
	{ "fail # x", NULL, NULL, "fail", "x", AGENT_ADMIN_NONE, false },
	{ "stopped soon", NULL, NULL, "stopped", "soon", AGENT_ADMIN_NONE, false },
	{ "hello 5% up there", "5%", NULL, "up", "hello", AGENT_ADMIN_NONE, true },
	{ "-5% 7", NULL, NULL, NULL, "-5%", AGENT_ADMIN_NONE, false },
	{ "maxconn:", NULL, "", NULL, NULL, AGENT_ADMIN_NONE, false },
	{ "", NULL, NULL, NULL, NULL, AGENT_ADMIN_NONE, false },
	{ " , ,", NULL, NULL, NULL, NULL, AGENT_ADMIN_NONE, false },
	{ "#", NULL, NULL, NULL, "", AGENT_ADMIN_NONE, false },
	{ "upper", NULL, NULL, NULL, "upper", AGENT_ADMIN_NONE, false },
};

static void assert_word(unsigned i, struct span got, const char *wanted)
{
	if (!got.ptr != !wanted || (wanted && !span_equal(got, span_of(wanted))))
		fail_msg("line %u: '%.*s' is not '%s'", i, (int)got.len, got.ptr ? got.ptr : "",
			 wanted ? wanted : "nothing");
}

static void assert_grpc(const char *bytes, size_t len, enum check_status status, const char *text)
{
	struct answer a = answer_grpc((struct span){ bytes, len }, true);
	size_t part;

	assert_int_equal(a.status, status);
	assert_true(span_equal(a.text, span_of(text)));
	for (part = 0; part < len; part++) {
		a = answer_grpc((struct span){ bytes, part }, false);
		assert_true(a.status == CHECK_UNKNOWN || a.status == status);
	}
}
#define GRPC(bytes, status, text) assert_grpc(bytes, sizeof(bytes) - 1, status, text)

static void messages_of_grpc_are_read(void **state)
{
	(void)state;
	GRPC("\0\0\0\0\2\x08\1", CHECK_L7OK, "SERVING");
	GRPC("\0\0\0\0\2\x08\2", CHECK_L7STS, "NOT_SERVING");
	GRPC("\0\0\0\0\2\x08\3", CHECK_L7STS, "SERVICE_UNKNOWN");
	GRPC("\0\0\0\0\0", CHECK_L7STS, "UNKNOWN");
	GRPC("\0\0\0\0\2\x08\4", CHECK_L7STS, "a serving status that does not exist");
	GRPC("\0\0\0\0\4\x08\2\x08\1", CHECK_L7OK, "SERVING"); /* the last one counts */
	GRPC("\0\0\0\0\x15\x12\2ab\x19" "12345678\x25" "1234\x08\x81\0", CHECK_L7OK, "SERVING");
	GRPC("\0\0\0\0\2\x08\1behind", CHECK_L7OK, "SERVING");
	GRPC("", CHECK_L7RSP, "the response has no message");
	GRPC("\0\0\0\0\2\x08", CHECK_L7RSP, "the message is cut");
	GRPC("\0\0\0\0\1\x08", CHECK_L7RSP, "malformed message");
	GRPC("\0\0\0\0\2\x12\5", CHECK_L7RSP, "malformed message");
	GRPC("\0\0\0\0\1\x0b", CHECK_L7RSP, "malformed message"); /* a group */
	GRPC("\0\0\0\0\2\0\1", CHECK_L7RSP, "malformed message"); /* field 0 */
	GRPC("\1\0\0\0\2\x08\1", CHECK_L7RSP, "the message is compressed");
	GRPC("\0\xff\0\0\0", CHECK_L7RSP, "the message is too long");
}

static void assert_dns(const char *bytes, size_t len, enum check_status status, const char *text)
{
	struct answer a = answer_dns((struct span){ bytes, len }, 0x1234);

	assert_int_equal(a.status, status);
	if (text)
		assert_true(span_equal(a.text, span_of(text)));
}
#define DNS(bytes, status, text) assert_dns(bytes, sizeof(bytes) - 1, status, text)

static void answers_to_dns_queries_are_read(void **state)
{
	(void)state;
	DNS("\x12\x34\x81\x80\0\1\0\1\0\0\0\0", CHECK_L7OK, "NOERROR");
	DNS("\x12\x34\x84\x03\0\1\0\0\0\0\0\0", CHECK_L7OK, "NXDOMAIN");
	DNS("\x12\x34\x81\x82\0\1\0\0\0\0\0\0", CHECK_L7STS, "SERVFAIL");
	DNS("\x12\x34\x80\x05\0\1\0\0\0\0\0\0", CHECK_L7STS, "REFUSED");
	DNS("\x12\x34\x80\x09\0\1\0\0\0\0\0\0", CHECK_L7STS, "an unknown response code");
	/* No answer to the question: waited on. */
	DNS("\x12\x35\x81\x80\0\1\0\1\0\0\0\0", CHECK_UNKNOWN, NULL);
	DNS("\x12\x34\x01\x00\0\1\0\0\0\0\0\0", CHECK_UNKNOWN, NULL); /* the question */
	DNS("\x12\x34\x81\x80\0\1\0\1\0\0\0", CHECK_UNKNOWN, NULL);
	DNS("", CHECK_UNKNOWN, NULL);
}

static enum check_status ntp(unsigned char first, unsigned char stratum, const char *origin, size_t len)
{
	char bytes[48] = { (char)first, (char)stratum };

	memcpy(bytes + 24, origin, 8);
	return answer_ntp((struct span){ bytes, len }, "transmit").status;
}

static void answers_of_ntp_servers_are_read(void **state)
{
	(void)state;
	assert_int_equal(ntp(0x24, 2, "transmit", 48), CHECK_L7OK);
	assert_int_equal(ntp(0x1c, 15, "transmit", 48), CHECK_L7OK);  /* version 3 */
	assert_int_equal(ntp(0xe4, 2, "transmit", 48), CHECK_L7STS);  /* alarm: not synchronized */
	assert_int_equal(ntp(0x24, 16, "transmit", 48), CHECK_L7STS);
	assert_int_equal(ntp(0x24, 0, "transmit", 48), CHECK_L7STS);  /* kiss of death */
	assert_int_equal(ntp(0x24, 2, "another.", 48), CHECK_UNKNOWN);
	assert_int_equal(ntp(0x23, 2, "transmit", 48), CHECK_UNKNOWN); /* a client */
	assert_int_equal(ntp(0x24, 2, "transmit", 47), CHECK_UNKNOWN);
}

/* The exchange of RFC 5997, 6.1: request and answer, octet by octet. */
static void answers_of_radius_servers_are_read(void **state)
{
	static const char asked[] =
		"\x0c\xda\x00\x26\x8a\x54\xf4\x68\x6f\xb3\x94\xc5\x28\x66\xe3\x02"
		"\x18\x5d\x06\x23\x50\x12\x5a\x66\x5e\x2e\x1e\x84\x11\xf3\xe2\x43"
		"\x82\x20\x97\xc8\x4f\xa3";
	static const char answered[] =
		"\x02\xda\x00\x14\xef\x0d\x55\x2a\x4b\xf2\xd6\x93\xec\x2b\x6f\xe8"
		"\xb5\x41\x1d\x66";
	struct radius_request r = { .id = 0xda, .secret = span_of("xyzzy5461") };
	char memory[100], bytes[24];
	struct answer a;
	struct text t;
	size_t i;

	(void)state;
	memcpy(r.authenticator, asked + 4, sizeof(r.authenticator));
	text_init(&t, memory, sizeof(memory));
	radius_ask(&r, &t);
	assert_int_equal(t.len, sizeof(asked) - 1);
	assert_memory_equal(t.ptr, asked, t.len);
	a = answer_radius((struct span){ answered, 20 }, &r);
	assert_int_equal(a.status, CHECK_L7OK);
	assert_true(span_equal(a.text, span_of("Access-Accept")));
	/* What was cut, or changed anywhere, is none. Padding behind it is ignored (RFC 2865 3). */
	for (i = 0; i < 20; i++) {
		memcpy(bytes, answered, 20);
		bytes[i] ^= 1;
		a = answer_radius((struct span){ answered, i }, &r);
		assert_int_equal(a.status, CHECK_UNKNOWN);
		a = answer_radius((struct span){ bytes, 20 }, &r);
		assert_int_equal(a.status, CHECK_UNKNOWN);
	}
	memcpy(bytes, answered, 20);
	assert_int_equal(answer_radius((struct span){ bytes, 24 }, &r).status, CHECK_L7OK);
	r.secret = span_of("another");
	assert_int_equal(answer_radius((struct span){ answered, 20 }, &r).status, CHECK_UNKNOWN);
}

static void lines_of_agents_are_read(void **state)
{
	struct agent_line line;
	unsigned i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(lines); i++) {
		agent_parse(span_of(lines[i].line), &line);
		assert_word(i, line.weight, lines[i].weight);
		assert_word(i, line.maxconn, lines[i].maxconn);
		assert_word(i, line.state, lines[i].word);
		assert_word(i, line.about, lines[i].about);
		assert_int_equal(line.admin, lines[i].admin);
		assert_int_equal(line.state.ptr && line.up, lines[i].up);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_are_read),
		cmocka_unit_test(what_is_cut_waits),
		cmocka_unit_test(messages_of_grpc_are_read),
		cmocka_unit_test(answers_to_dns_queries_are_read),
		cmocka_unit_test(answers_of_ntp_servers_are_read),
		cmocka_unit_test(answers_of_radius_servers_are_read),
		cmocka_unit_test(lines_of_agents_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
