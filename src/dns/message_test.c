/* SPDX-License-Identifier: BSD-2-Clause */
/* Questions, and what answers say: records, aliases, failures, and what is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dns/message.h"

#include <stdio.h>
#include <string.h>

static unsigned char message[DNS_MESSAGE_MOST];
static size_t len;
static const struct dns_answer_records *records;

static void put8(unsigned n)
{
	message[len++] = (unsigned char)n;
}

static void put16(unsigned n)
{
	put8(n >> 8);
	put8(n & 0xff);
}

static void put_name(const char *name)
{
	size_t part;

	for (; *name; name += part + (name[part] == '.')) {
		part = strcspn(name, ".");
		put8((unsigned)part);
		memcpy(message + len, name, part);
		len += part;
	}
	put8(0);
}

static void set16(size_t at, unsigned n)
{
	message[at] = (unsigned char)(n >> 8);
	message[at + 1] = (unsigned char)n;
}

/* An answer to that question, without records so far. */
static void begin(const char *name, enum dns_type type, unsigned flags)
{
	len = 0;
	put16(7);
	put16(0x8180 | flags);
	put16(1);
	put16(0);
	put16(0);
	put16(0);
	put_name(name);
	put16(type);
	put16(1);
}

static void count(size_t at)
{
	set16(at, (unsigned)(message[at] << 8 | message[at + 1]) + 1);
}

/* name NULL: that of the question, by a pointer. section: 6 answers, 8 authority, 10 additional. */
static void record(size_t section, const char *name, unsigned type, const void *data, size_t size)
{
	count(section);
	if (name)
		put_name(name);
	else
		put16(0xc00c);
	put16(type);
	put16(1);
	put16(0);
	put16(60);
	put16((unsigned)size);
	memcpy(message + len, data, size);
	len += size;
}

static void alias(const char *name, const char *target)
{
	size_t at;

	record(6, name, DNS_CNAME, "", 0);
	at = len;
	put_name(target);
	set16(at - 2, (unsigned)(len - at));
}

static void service(unsigned priority, unsigned weight, unsigned port, const char *target)
{
	size_t at;

	record(6, NULL, DNS_SRV, "", 0);
	at = len;
	put16(priority);
	put16(weight);
	put16(port);
	put_name(target);
	set16(at - 2, (unsigned)(len - at));
}

static enum dns_said read_as(const char *name, enum dns_type type)
{
	return dns_answer_read((struct span){ (const char *)message, len }, name, type, &records);
}

static void writes_questions(void **state)
{
	static const unsigned char wanted[] = "\x12\x34\1\0\0\1\0\0\0\0\0\1\1a\4test\0\0\34\0\1\0\0\51\4\0\0\0\0\0\0\0";
	unsigned char bytes[DNS_QUESTION_MOST];
	char name[254];

	(void)state;
	assert_int_equal(dns_question_write("a.test", DNS_AAAA, 0x1234, 1024, bytes), sizeof(wanted) - 1);
	assert_memory_equal(bytes, wanted, sizeof(wanted) - 1);
	assert_int_equal(dns_message_id(bytes), 0x1234);
	memset(name, 'a', sizeof(name));
	name[63] = name[127] = name[191] = '.';
	name[253] = 0;
	assert_true(dns_question_write(name, DNS_SRV, 1, 512, bytes) > 253);
}

static void reads_addresses(void **state)
{
	(void)state;
	begin("A.Test", DNS_A, 0);
	record(6, NULL, DNS_A, "\1\2\3\4", 4);
	record(6, "a.TEST", DNS_A, "\5\6\7\10", 4);
	record(6, NULL, 46, "signature", 9); /* of no interest */
	assert_int_equal(read_as("a.test", DNS_A), DNS_SAID_RECORDS);
	assert_int_equal(records->count, 2);
	assert_int_equal(records->record[0].v4.v4.s_addr, htonl(0x01020304));
	assert_int_equal(records->record[1].v4.v4.s_addr, htonl(0x05060708));
	assert_int_equal(records->record[1].ttl, 60);
	assert_int_equal(records->record[0].v6.family, AF_UNSPEC);
	begin("a.test", DNS_AAAA, 0);
	record(6, NULL, DNS_AAAA, "0123456789abcdef", 16);
	assert_int_equal(read_as("a.test", DNS_AAAA), DNS_SAID_RECORDS);
	assert_int_equal(records->record[0].v6.family, AF_INET6);
}

static void follows_aliases(void **state)
{
	char name[32], next[32];
	int i;

	(void)state;
	begin("a.test", DNS_A, 0); /* in any order */
	record(6, "c.test", DNS_A, "\1\2\3\4", 4);
	alias("b.test", "C.test");
	alias(NULL, "b.test");
	assert_int_equal(read_as("a.test", DNS_A), DNS_SAID_RECORDS);
	assert_int_equal(records->count, 1);
	begin("a.test", DNS_A, 0);
	alias(NULL, "b.test");
	assert_int_equal(read_as("a.test", DNS_A), DNS_SAID_ALIAS);
	alias("b.test", "a.test");
	assert_int_equal(read_as("a.test", DNS_A), DNS_SAID_ALIAS_WRONG);
	begin("a.test", DNS_A, 0);
	alias(NULL, "b.test");
	record(6, "e.test", DNS_A, "\1\2\3\4", 4);
	assert_int_equal(read_as("a.test", DNS_A), DNS_SAID_ALIAS_WRONG);
	begin("a.test", DNS_A, 0); /* without end */
	alias(NULL, "n0.test");
	for (i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "n%d.test", i);
		snprintf(next, sizeof(next), "n%d.test", i + 1);
		alias(name, next);
	}
	assert_int_equal(read_as("a.test", DNS_A), DNS_SAID_ALIAS_WRONG);
}

/* What was not asked is passed over, whatever its type, before and behind what was. */
static void passes_over_others(void **state)
{
	(void)state;
	begin("a.test", DNS_A, 0);
	record(6, "evil.example", DNS_A, "\6\6\6\6", 4);
	record(6, "evil.example", DNS_A, "\6\6\6", 3);
	alias("evil.example", "a.test");
	record(6, "", DNS_A, "\6\6\6\6", 4);
	record(6, "b.a.test", 99, "", 0);
	record(6, NULL, DNS_A, "\1\2\3\4", 4);
	record(6, "evil.example", DNS_A, "\6\6\6\6", 4);
	assert_int_equal(read_as("a.test", DNS_A), DNS_SAID_RECORDS);
	assert_int_equal(records->count, 1);
	assert_memory_equal(&records->record[0].v4.v4, "\1\2\3\4", 4);
}

static void reads_services(void **state)
{
	(void)state;
	begin("_s.test", DNS_SRV, 0);
	service(1, 20, 8001, "X.test");
	service(2, 30, 8002, "y.test");
	service(0, 0, 0, ""); /* "." : not there */
	record(8, "test", 2, "\0", 1);
	record(10, "x.test", DNS_A, "\1\2\3\4", 4);
	record(10, "x.test", DNS_AAAA, "0123456789abcdef", 16);
	record(10, "z.test", DNS_A, "\5\6\7\10", 4);
	assert_int_equal(read_as("_s.test", DNS_SRV), DNS_SAID_RECORDS);
	assert_int_equal(records->count, 2);
	assert_string_equal(records->record[0].target, "x.test");
	assert_int_equal(records->record[0].port, 8001);
	assert_int_equal(records->record[0].v4.v4.s_addr, htonl(0x01020304));
	assert_int_equal(records->record[0].v6.family, AF_INET6);
	assert_string_equal(records->record[1].target, "y.test");
	assert_int_equal(records->record[1].priority, 2);
	assert_int_equal(records->record[1].weight, 30);
	assert_int_equal(records->record[1].v4.family, AF_UNSPEC);
}

static void tells_failures(void **state)
{
	(void)state;
	begin("a.test", DNS_A, 0);
	assert_int_equal(read_as("a.test", DNS_A), DNS_SAID_NONE);
	begin("a.test", DNS_A, 3);
	assert_int_equal(read_as("a.test", DNS_A), DNS_SAID_NX);
	begin("a.test", DNS_A, 5);
	assert_int_equal(read_as("a.test", DNS_A), DNS_SAID_REFUSED);
	begin("a.test", DNS_A, 2);
	assert_int_equal(read_as("a.test", DNS_A), DNS_SAID_OTHER);
	begin("a.test", DNS_A, 0x200);
	record(6, NULL, DNS_A, "\1\2\3\4", 4);
	assert_int_equal(read_as("a.test", DNS_A), DNS_SAID_TRUNCATED);
}

static void knows_its_own_answers(void **state)
{
	(void)state;
	begin("b.test", DNS_A, 0);
	assert_int_equal(read_as("a.test", DNS_A), DNS_SAID_FOREIGN);
	begin("a.test", DNS_AAAA, 0);
	assert_int_equal(read_as("a.test", DNS_A), DNS_SAID_FOREIGN);
	begin("a.test", DNS_A, 3);
	set16(2, 0x0103); /* a question */
	assert_int_equal(read_as("a.test", DNS_A), DNS_SAID_FOREIGN);
	begin("a.test", DNS_A, 0);
	set16(4, 2);
	assert_int_equal(read_as("a.test", DNS_A), DNS_SAID_FOREIGN);
	begin("a.test", DNS_A, 0);
	message[12] = 0xc0; /* its name is itself */
	message[13] = 12;
	assert_int_equal(read_as("a.test", DNS_A), DNS_SAID_FOREIGN);
	len = 11;
	assert_int_equal(read_as("a.test", DNS_A), DNS_SAID_INVALID);
}

static void refuses_what_breaks_off(void **state)
{
	size_t whole, question;

	(void)state;
	begin("a.test", DNS_A, 0);
	question = len;
	record(6, NULL, DNS_A, "\1\2\3\4", 4);
	whole = len;
	for (len = question; len < whole; len++)
		assert_int_equal(read_as("a.test", DNS_A), DNS_SAID_INVALID);
	begin("a.test", DNS_A, 0);
	record(6, NULL, DNS_A, "\1\2\3", 3);
	assert_int_equal(read_as("a.test", DNS_A), DNS_SAID_INVALID);
	begin("_s.test", DNS_SRV, 0);
	record(6, NULL, DNS_SRV, "\0\0\0\0\0\0\xc0\x0c\0", 9);
	assert_int_equal(read_as("_s.test", DNS_SRV), DNS_SAID_INVALID);
}

static void takes_a_thousand(void **state)
{
	unsigned i;

	(void)state;
	begin("a.test", DNS_A, 0);
	for (i = 0; i < 3000; i++) {
		unsigned char addr[4] = { 10, 0, (unsigned char)(i >> 8), (unsigned char)i };

		record(6, NULL, DNS_A, addr, 4);
	}
	assert_int_equal(read_as("a.test", DNS_A), DNS_SAID_RECORDS);
	assert_int_equal(records->count, DNS_RECORDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_questions),   cmocka_unit_test(reads_addresses),
		cmocka_unit_test(follows_aliases),    cmocka_unit_test(passes_over_others),
		cmocka_unit_test(reads_services),
		cmocka_unit_test(tells_failures),     cmocka_unit_test(knows_its_own_answers),
		cmocka_unit_test(refuses_what_breaks_off), cmocka_unit_test(takes_a_thousand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
