/* SPDX-License-Identifier: BSD-2-Clause */
/* A stick table that stands alone. Linked into the tests only. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stick/test_table.h"

#include "base/err.h"
#include "stick/inside.h"
#include "stick/memory.h"

struct stick_table *test_table_open(struct stick_definition def, bool shared, bool *anew)
{
	struct stick_table *t;
	struct err err;
	bool unused;

	stick_memory_end();
	if (stick_memory_begin(shared, &err) < 0)
		fail_msg("%s", err.text);
	t = stick_table_open(&def, anew ? anew : &unused, &err);
	if (!t)
		fail_msg("%s", err.text);
	return t;
}

int test_table_end(void **state)
{
	(void)state;
	stick_memory_end();
	return 0;
}

void test_table_is_sound(struct stick_table *t)
{
	struct err err;

	if (stick_check(t, &err) < 0)
		fail_msg("%s", err.text);
}

struct span test_table_key(uint32_t n)
{
	static uint32_t key;

	key = n;
	return (struct span){ (char *)&key, sizeof(key) };
}
