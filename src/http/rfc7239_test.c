/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements of the field Forwarded. reg-tests/expr/forwarded_2.8.txt has more of them, with what
 * HAProxy 2.8 says. */
#include "http/rfc7239.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* "for,by,host,proto" of the element, '-' for what is not there; "bad". */
static void describe(const char *element, char *out, size_t size)
{
	static const enum rfc7239_name order[] = { RFC7239_FOR, RFC7239_BY, RFC7239_HOST,
						   RFC7239_PROTO };
	struct rfc7239 parts;
	struct text t;
	size_t i;

	text_init(&t, out, size);
	if (!rfc7239_parse(span_of(element), &parts)) {
		text_str(&t, "bad");
		return;
	}
	for (i = 0; i < 4; i++) {
		struct span v = parts.value[order[i]];

		text_str(&t, i ? "," : "");
		text_add(&t, v.ptr ? v.ptr : "-", v.ptr ? v.len : 1);
	}
}

static void test_elements(void **state)
{
	static const struct {
		const char *element, *parts;
	} cases[] = {
		{ "for=10.0.0.1", "10.0.0.1,-,-,-" },
		{ "for=\"[::1]:80\";by=_b;proto=https;host=\"a.b:80\"",
		  "[::1]:80,_b,a.b:80,https" },
		{ "host=\"\";for=unknown", "unknown,-,,-" },
		{ "for=\"[::ffff:10.0.0.1]\"", "[::ffff:10.0.0.1],-,-,-" },
		{ "", "bad" },
		{ "for", "bad" },
		{ "for=", "bad" },
		{ "for=\"\"", "bad" },
		{ "for=\"10.0.0.1", "bad" },
		{ "for=10.0.0.1;", "bad" },
		{ ";for=10.0.0.1", "bad" },
		{ "for=10.0.0.1:80", "bad" },
		{ "for=[::1]", "bad" },
		{ "for=\"_a\"b", "bad" },
		{ "for=_a;for=_b", "bad" },
		{ "for=_a; by=_b", "bad" },
		{ "For=_a", "bad" },
		{ "x=1", "bad" },
		{ "proto=\"http\"", "bad" },
		{ "host=;by=_b", "bad" },
		{ "host=a-.b", "bad" },
		{ "host=\"a:0\"", "bad" },
		{ "host=\"a:65536\"", "bad" },
		{ "host=\"a b\"", "bad" },
	};
	char got[200];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		describe(cases[i].element, got, sizeof(got));
		assert_string_equal(got, cases[i].parts);
	}
}

static void test_nodes(void **state)
{
	struct rfc7239_node node;

	(void)state;
	assert_true(rfc7239_node_parse(span_of("10.0.0.1:080"), &node));
	assert_int_equal(node.family, AF_INET);
	assert_int_equal(node.port, 80);
	assert_true(rfc7239_node_parse(span_of("[::1]:_p"), &node));
	assert_int_equal(node.family, AF_INET6);
	assert_true(!node.port && span_equal(node.port_name, span_of("_p")));
	assert_true(rfc7239_node_parse(span_of("unknown"), &node));
	assert_true(!node.family && span_equal(node.name, span_of("unknown")));
	assert_false(rfc7239_node_parse(span_of("10.0.0.1x"), &node));
	assert_false(rfc7239_node_parse(span_of("_"), &node));
	assert_false(rfc7239_node_parse((struct span){ "10.0.0.1\0", 9 }, &node));
}

static void test_written(void **state)
{
	static const struct {
		const char *text, *node;
	} cases[] = {
		{ "10.0.0.1", "10.0.0.1" }, { "[::1]", "[::1]" }, { "::1", "unknown" },
		{ "unknown", "unknown" },   { "a", "_a" },        { "_a", "_a" },
		{ "_", "__" },              { "a b", "unknown" }, { "", "unknown" },
		{ "10.0.0.1\"", "unknown" },
	};
	char memory[100];
	struct text t;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		text_init(&t, memory, sizeof(memory));
		rfc7239_put_node(&t, span_of(cases[i].text));
		assert_string_equal(t.ptr, cases[i].node);
	}
	text_init(&t, memory, sizeof(memory));
	assert_true(rfc7239_put_port(&t, span_of("65535")));
	assert_true(rfc7239_put_port(&t, span_of("65536")));
	assert_false(rfc7239_put_port(&t, span_of("")));
	assert_false(rfc7239_put_port(&t, span_of("1:2")));
	assert_string_equal(t.ptr, "65535_65536");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_elements),
		cmocka_unit_test(test_nodes),
		cmocka_unit_test(test_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
