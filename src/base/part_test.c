/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects share the parts that they have inherited, and write to their own alone; kinds have places
 * of their own; what nobody has asked for is not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/part.h"

enum { PLACES = 4 };

struct settings {
	int number;
	void *parts[PLACES];
};

struct object {
	const char *name; /* a kind without a place must not take it for a part */
	struct settings set;
	uint32_t own;
};

struct colour {
	int red, blue;
};

static struct part_table table;
static struct part_kind colour, size, third;
static struct arena *arena;

static void colour_init(void *part)
{
	((struct colour *)part)->blue = 7;
}

static int setup(void **state)
{
	(void)state;
	arena = arena_new(4096);
	table = (struct part_table){ .what = "an object",
				     .at = offsetof(struct object, set.parts),
				     .own = offsetof(struct object, own),
				     .places = PLACES };
	colour = (struct part_kind){ .name = "colour", .table = &table,
				     .size = sizeof(struct colour), .init = colour_init,
				     .at = offsetof(struct object, set.parts) };
	size = colour;
	size.name = "size";
	size.size = sizeof(int);
	size.init = NULL;
	third = size;
	return !arena;
}

static int teardown(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

/* The settings are handed on as a whole, as those of a defaults section. */
static struct object heir_of(const struct object *from)
{
	return (struct object){ .name = "heir", .set = from->set };
}

static void nothing_is_there(void **state)
{
	struct object o = { .name = "o" };

	(void)state;
	assert_null(part_of(&o, &colour));
	assert_int_equal(table.used, 0);
	part_make(&o, &size, arena);
	assert_null(part_of(&o, &colour));
}

static void kinds_are_apart(void **state)
{
	struct object o = { .name = "o" };
	struct colour *c;
	int *n;

	(void)state;
	n = part_make(&o, &size, arena);
	c = part_make(&o, &colour, arena);
	assert_int_equal(*n, 0);
	assert_int_equal(c->red, 0);
	assert_int_equal(c->blue, 7);
	assert_ptr_equal(part_make(&o, &size, arena), n);
	assert_ptr_equal(part_of(&o, &colour), c);
	assert_string_equal(o.name, "o");
	assert_int_equal(o.set.number, 0);
}

static void heirs_share_until_they_write(void **state)
{
	struct object o = { .name = "o" }, a, b;
	struct colour *c, *own;

	(void)state;
	c = part_make(&o, &colour, arena);
	c->red = 1;
	a = heir_of(&o);
	b = heir_of(&o);
	assert_ptr_equal(part_of(&a, &colour), c);
	own = part_make(&a, &colour, arena);
	assert_ptr_not_equal(own, c);
	assert_int_equal(own->red, 1);
	assert_int_equal(own->blue, 7);
	own->red = 2;
	assert_ptr_equal(part_make(&a, &colour, arena), own);
	assert_int_equal(c->red, 1);
	assert_ptr_equal(part_of(&b, &colour), c);
	/* The heir's heir has what the heir has written. */
	b = heir_of(&a);
	assert_ptr_equal(part_of(&b, &colour), own);
}

static void an_heir_begins_afresh(void **state)
{
	struct object o = { .name = "o" }, a;
	struct colour *c, *own;

	(void)state;
	colour.afresh = true;
	c = part_make(&o, &colour, arena);
	c->red = 1;
	c->blue = 2;
	a = heir_of(&o);
	assert_ptr_equal(part_of(&a, &colour), c);
	own = part_make(&a, &colour, arena);
	assert_int_equal(own->red, 0);
	assert_int_equal(own->blue, 7);
}

static void parts_of_others_are_set(void **state)
{
	struct object o = { .name = "o" };
	int mine = 5;

	(void)state;
	part_set(&o, &size, &mine);
	assert_ptr_equal(part_of(&o, &size), &mine);
	assert_ptr_equal(part_make(&o, &size, arena), &mine);
	part_set(&o, &size, NULL);
	assert_null(part_of(&o, &size));
}

/* The first place is nobody's, the last is used. */
static void all_places_but_the_first(void **state)
{
	(void)state;
	part_place(&third);
	part_place(&size);
	part_place(&colour);
	part_place(&third);
	assert_int_equal(third.place, 1);
	assert_int_equal(size.place, 2);
	assert_int_equal(colour.place, PLACES - 1);
	assert_int_equal(colour.at, offsetof(struct object, set.parts[PLACES - 1]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nothing_is_there, setup, teardown),
		cmocka_unit_test_setup_teardown(kinds_are_apart, setup, teardown),
		cmocka_unit_test_setup_teardown(heirs_share_until_they_write, setup, teardown),
		cmocka_unit_test_setup_teardown(an_heir_begins_afresh, setup, teardown),
		cmocka_unit_test_setup_teardown(parts_of_others_are_set, setup, teardown),
		cmocka_unit_test_setup_teardown(all_places_but_the_first, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
