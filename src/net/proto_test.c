/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of protocols of messages: what each row must be for those who ask it. */
#include "net/proto.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct span wire(enum proto p)
{
	return (struct span){ protos[p].alpn.ptr + 1, protos[p].alpn.len - 1 };
}

static void rows_are_whole(void **state)
{
	enum proto p;

	(void)state;
	for (p = PROTO_USUAL; p < PROTO_COUNT; p++) {
		assert_true(*proto_words[p] && *protos[p].name && protos[p].can);
		assert_int_equal((unsigned char)protos[p].alpn.ptr[0], protos[p].alpn.len - 1);
		assert_int_equal(proto_agreed(wire(p)), p);
	}
	assert_null(proto_words[PROTO_COUNT]);
	assert_false(proto_can(PROTO_UNSET, PROTO_CLIENTS));
	assert_false(proto_can(PROTO_NONE, PROTO_CLIENTS | PROTO_WEBSOCKET));
	assert_true(proto_can(PROTO_USUAL, PROTO_ALL));
	assert_false(proto_can(PROTO_USUAL, PROTO_MANY));
}

/* Each name that is offered is in a row, and each that clients speak is offered. */
static void the_offer_is_of_the_rows(void **state)
{
	struct span rest = span_of(PROTO_OFFER);
	unsigned found = 0;
	enum proto p;

	(void)state;
	while (rest.len) {
		size_t len = (unsigned char)rest.ptr[0];

		assert_true(len < rest.len);
		p = proto_agreed((struct span){ rest.ptr + 1, len });
		assert_true(p && proto_can(p, PROTO_CLIENTS));
		found |= 1u << p;
		rest.ptr += len + 1;
		rest.len -= len + 1;
	}
	for (p = PROTO_USUAL; p < PROTO_COUNT; p++)
		assert_int_equal(found >> p & 1, proto_can(p, PROTO_CLIENTS));
}

static void names_are_found_whole(void **state)
{
	(void)state;
	assert_int_equal(proto_agreed(span_of("h2")), PROTO_H2);
	assert_int_equal(proto_agreed(span_of("http/1.1")), PROTO_H1);
	assert_int_equal(proto_agreed(span_of("http/1.0")), PROTO_UNSET);
	assert_int_equal(proto_agreed(span_of("h")), PROTO_UNSET);
	assert_int_equal(proto_agreed(span_of("h2c")), PROTO_UNSET);
	assert_int_equal(proto_agreed((struct span){ "", 0 }), PROTO_UNSET);
}

/* As far as they go: more may come. */
static void first_bytes_tell(void **state)
{
	static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
	size_t n;

	(void)state;
	for (n = 1; n < sizeof(preface); n++)
		assert_int_equal(proto_begun(preface, n), PROTO_H2);
	assert_int_equal(proto_begun("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nmore", 28), PROTO_H2);
	assert_int_equal(proto_begun("PRI * HTTP/2.1\r\n", 16), PROTO_UNSET);
	assert_int_equal(proto_begun("GET / HTTP/1.1\r\n", 16), PROTO_UNSET);
}

static void names_of(const char *from, const char *expected, const char *first)
{
	struct span unusual = proto_unusual(span_of(from));
	char to[100];
	size_t n = proto_names_of(PROTO_USUAL, span_of(from), to);

	assert_int_equal(n, strlen(expected));
	assert_memory_equal(to, expected, n);
	assert_true(span_equal(unusual, span_of(first)));
}

/* Names that are in no row are nobody's here, and stay. */
static void others_names_are_left_out(void **state)
{
	char to[100];

	(void)state;
	names_of("\2h2\10http/1.1", "\10http/1.1", "h2");
	names_of("\10http/1.1\2h2", "\10http/1.1", "h2");
	names_of("\5spdyx\2h2\3foo", "\5spdyx\3foo", "h2");
	names_of("\2h2", "", "h2");
	names_of("\10http/1.1", "\10http/1.1", "");
	names_of("", "", "");
	assert_int_equal(proto_names_of(PROTO_H2, span_of("\2h2\10http/1.1"), to), 3);
	assert_memory_equal(to, "\2h2", 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_whole),
		cmocka_unit_test(the_offer_is_of_the_rows),
		cmocka_unit_test(names_are_found_whole),
		cmocka_unit_test(first_bytes_tell),
		cmocka_unit_test(others_names_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
