/* SPDX-License-Identifier: BSD-2-Clause */
/* What differs between two heads. */
#include "explain/heads.h"

#include "base/arena.h"
#include "http/message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdio.h>

static struct arena *arena;
static char told[1024];

static void tell(void *of, const char *name, const char *before, const char *after, bool response)
{
	size_t len = strlen(told);

	(void)of;
	(void)response;
	snprintf(told + len, sizeof(told) - len, "%s:%s>%s ", name, before ? before : "",
		 after ? after : "");
}

/* "a=1 b=2": fields of a request for the target. */
static struct head *head(const char *target, const char *fields)
{
	struct field list[20];
	struct message msg;
	char *text = arena_strdup(arena, fields), *save = NULL, *one, *value;

	message_init(&msg, false, list, 20);
	msg.method_text = span_of("GET");
	msg.target = span_of(target);
	for (one = strtok_r(text, " ", &save); one; one = strtok_r(NULL, " ", &save)) {
		value = strchr(one, '=');
		*value++ = 0;
		msg.fields[msg.count++] =
			(struct field){ .name = span_of(one), .value = span_of(value) };
	}
	return head_copy(arena, &msg);
}

static void differs(struct head *a, struct head *b, const char *wanted)
{
	told[0] = 0;
	assert_int_equal(head_differs(a, b), *wanted != 0);
	head_compare(a, b, tell, NULL, false);
	assert_string_equal(told, wanted);
}

static void changes_are_found(void **state)
{
	(void)state;
	differs(head("/", "a=1 b=2"), head("/", "a=1 b=2"), "");
	differs(head("/", "a=1"), head("/x", "a=1"), "target:/>/x ");
	differs(head("/", "a=1"), head("/", "a=1 b=2"), "b:>2 ");
	differs(head("/", "a=1 b=2"), head("/", "b=2"), "a:1> ");
	differs(head("/", "a=1 b=2"), head("/", "a=3 b=2"), "a:1>3 ");
	differs(head("/", ""), head("/", ""), "");
}

static void lines_of_one_name_are_told_apart(void **state)
{
	(void)state;
	differs(head("/", "a=1 a=2"), head("/", "a=1 a=2 a=3"), "a:>3 ");
	differs(head("/", "a=1 a=1"), head("/", "a=1"), "a:1> ");
	differs(head("/", "a=1"), head("/", "a=1 a=1"), "a:>1 ");
	differs(head("/", "a=1 a=2"), head("/", "a=3"), "a:1>3 a:2> ");
	differs(head("/", "A=1"), head("/", "a=1"), "");
}

static int begin(void **state)
{
	(void)state;
	arena = arena_new(4096);
	return 0;
}

static int end(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_are_found),
		cmocka_unit_test(lines_of_one_name_are_told_apart),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
