/* SPDX-License-Identifier: BSD-2-Clause */
/* The index of names: exact ones, wildcards, order, removal, and that a look-up does not get
 * dearer. */
#include "tls/names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct tls_names names;

static struct tls_name *add(const char *text, const char *object, unsigned rank)
{
	struct tls_name *n = calloc(1, sizeof(*n));
	char *copy = strdup(text);

	tls_name_init(n, copy, strlen(copy), (void *)(uintptr_t)object, rank);
	assert_int_equal(tls_names_add(&names, n), 0);
	return n;
}

static void gone(struct tls_name *n)
{
	tls_names_remove(&names, n);
	free((void *)((uintptr_t)n->text - n->wild));
	free(n);
}

static const char *find(const char *text, bool wild)
{
	char name[TLS_NAME_MAX + 1];
	size_t len = tls_name_normalise(span_of(text), name);
	struct tls_name *n = tls_names_first(&names, name, len, wild);

	return n ? n->object : "-";
}

static void normalises(void **state)
{
	char out[TLS_NAME_MAX + 1], longest[300];

	(void)state;
	assert_int_equal(tls_name_normalise(span_of("WWW.Example.COM."), out), 15);
	assert_string_equal(out, "www.example.com");
	assert_int_equal(tls_name_normalise(span_of(""), out), 0);
	assert_int_equal(tls_name_normalise(span_of("."), out), 0);
	assert_int_equal(tls_name_normalise((struct span){ "a\0b", 3 }, out), 0);
	memset(longest, 'a', sizeof(longest));
	assert_int_equal(tls_name_normalise((struct span){ longest, 256 }, out), 0);
	assert_int_equal(tls_name_normalise((struct span){ longest, 255 }, out), 255);
	assert_int_equal(tls_name_normalise(span_of("[@`{"), out), 4);
	assert_string_equal(out, "[@`{");
}

static void finds(void **state)
{
	struct tls_name *exact = add("www.example.com", "exact", 3);
	struct tls_name *wild = add("*.example.com", "wild", 1);
	struct tls_name *star = add("*", "star", 1);
	struct tls_name *part = add("a*.example.com", "part", 1);

	(void)state;
	assert_string_equal(find("WWW.example.com.", false), "exact");
	assert_string_equal(find("www.example.com", true), "wild");
	assert_string_equal(find("other.example.com", false), "-");
	assert_string_equal(find("other.example.com", true), "wild");
	assert_string_equal(find("a.b.example.com", true), "-");
	assert_string_equal(find("example.com", true), "-");
	assert_string_equal(find(".example.com", true), "-");
	assert_string_equal(find("nodots", true), "-");
	assert_string_equal(find("abc.example.com", false), "-");
	assert_string_equal(find("a*.example.com", false), "part");
	gone(wild);
	assert_string_equal(find("www.example.com", true), "-");
	assert_string_equal(find("www.example.com", false), "exact");
	gone(exact);
	gone(star);
	gone(part);
	assert_int_equal(names.count, 0);
	tls_names_free(&names);
}

static void keeps_the_order(void **state)
{
	struct tls_name *b = add("x.test", "b", 2), *c = add("x.test", "c", 3);
	struct tls_name *a = add("x.test", "a", 1), *n;

	(void)state;
	n = tls_names_first(&names, "x.test", 6, false);
	assert_ptr_equal(n, a);
	n = tls_names_next(n);
	assert_ptr_equal(n, b);
	n = tls_names_next(n);
	assert_ptr_equal(n, c);
	assert_null(tls_names_next(n));
	gone(b);
	assert_ptr_equal(tls_names_next(a), c);
	gone(a);
	assert_ptr_equal(tls_names_first(&names, "x.test", 6, false), c);
	gone(c);
	tls_names_free(&names);
}

/* Chains stay short: what a look-up costs is their length. */
static void stays_flat(void **state)
{
	enum { MANY = 100000 };
	struct tls_name **all = calloc(MANY, sizeof(*all)), *n;
	size_t i, steps, longest = 0, squares = 0;
	char text[40];

	(void)state;
	for (i = 0; i < MANY; i++) {
		snprintf(text, sizeof(text), "%shost%zu.example.com", i % 4 ? "" : "*.", i);
		all[i] = add(text, "x", (unsigned)i);
	}
	for (i = 0; i <= names.mask; i++) {
		for (steps = 0, n = names.buckets[i]; n; n = n->next)
			steps++;
		squares += steps * steps;
		longest = steps > longest ? steps : longest;
	}
	assert_string_equal(find("host99999.example.com", false), "x");
	assert_string_equal(find("www.host99996.example.com", true), "x");
	assert_string_equal(find("www.host99997.example.com", true), "-");
	assert_true(longest <= 16);
	assert_true(squares <= (size_t)MANY * 3); /* steps of all look-ups together */
	for (i = 0; i < MANY; i++)
		gone(all[i]);
	assert_int_equal(names.count, 0);
	tls_names_free(&names);
	free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(normalises),
		cmocka_unit_test(finds),
		cmocka_unit_test(keeps_the_order),
		cmocka_unit_test(stays_flat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
