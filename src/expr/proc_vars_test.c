/* SPDX-License-Identifier: BSD-2-Clause */
/* Variables of the process among several: what is told, when, and what is heard. The log of changes
 * is an array here, and the other processes are the test. */
#include "expr/proc_vars.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"
#include "event/timer.h"
#include "expr/state.h"
#include "expr/vars.h"
#include "expr/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* -- a world ---------------------------------------------------------------------------------- */

enum { SENT_MOST = 64 };
static struct sent {
	char bytes[100];
	size_t len, whole;
	change_done *done;
	void *arg;
} sent[SENT_MOST];
static unsigned sent_count;
static const struct view nothing;

static unsigned take(const struct change_kind *kind, const void *bytes, size_t len,
		     change_done *done, void *arg)
{
	struct sent *s = &sent[sent_count++];

	assert_ptr_equal(kind, &variable_change);
	*s = (struct sent){ .len = len < sizeof(s->bytes) ? len : sizeof(s->bytes), .whole = len,
			    .done = done, .arg = arg };
	memcpy(s->bytes, bytes, s->len);
	return sent_count;
}

static int begin(void **state)
{
	(void)state;
	clock_now_ms += 100000;
	sent_count = 0;
	change_route = take;
	return 0;
}

static int end(void **state)
{
	(void)state;
	change_route = NULL;
	return 0;
}

static const struct var_name *name(const char *text)
{
	struct err err = { "" };
	const struct var_name *made = var_name(span_of(text), &err);

	assert_non_null(made);
	return made;
}

static struct sample number(int64_t n)
{
	return (struct sample){ .type = SMP_INT, .num = n };
}

static void set(const char *text, int64_t n)
{
	struct sample smp = number(n);

	assert_true(var_set(name(text), &nothing, &smp, 0));
}

/* -1: it is not set. */
static int64_t value(const char *text)
{
	struct sample smp = { .flags = 0 };

	return var_get(name(text), &nothing, &smp) ? smp.num : -1;
}

static int hears(const void *frame, size_t len)
{
	struct err err = { "" };
	int rc;

	change_first = false;
	rc = variable_change.apply(frame, len, NULL, &err);
	change_first = true;
	assert_int_equal(rc < 0, *err.text != 0);
	return rc;
}

struct head {
	uint64_t stamp;
	uint32_t generation, type;
};

/* Another process says so, which has set it at that time. n -1: it has unset it. */
static int heard_at(uint64_t us, const char *text, int64_t n)
{
	struct head head = { us * 1024 + 2, expr_process.generation, n < 0 ? SMP_ANY : SMP_INT };
	char frame[100];
	size_t at = sizeof(head), named = strlen(text) + 1;

	memcpy(frame, &head, sizeof(head));
	memcpy(frame + at, text, named);
	at += named;
	if (n >= 0)
		memcpy(frame + at, &n, sizeof(n));
	return hears(frame, at + (n < 0 ? 0 : sizeof(n)));
}

static int heard(const char *text, int64_t n)
{
	static uint64_t last;
	uint64_t now = clock_read_us();

	last = now > last ? now : last + 1;
	return heard_at(last, text, n);
}

/* The n-th of ours comes out of the log. */
static void comes(unsigned n)
{
	assert_int_equal(hears(sent[n].bytes, sent[n].len), 0);
	sent[n].done(sent[n].arg, NULL, "", 0);
}

static void passes(unsigned ms)
{
	clock_now_ms += ms;
	timer_run();
}

/* -- telling ---------------------------------------------------------------------------------- */

/* The first value at once; the many behind it as one, when it is their turn. */
static void many_values_are_one_change(void **state)
{
	int64_t n;

	(void)state;
	set("proc.many", 1);
	passes(0);
	assert_int_equal(sent_count, 1);
	comes(0);
	for (n = 2; n <= 10000; n++)
		set("proc.many", n);
	passes(PROC_VARS_APART_MS - 1);
	assert_int_equal(sent_count, 1);
	passes(1);
	assert_int_equal(sent_count, 2);
	comes(1);
	assert_int_equal(value("proc.many"), 10000);
	passes(1000);
	assert_int_equal(sent_count, 2);
}

static void the_same_value_is_no_change(void **state)
{
	(void)state;
	set("proc.same", 5);
	passes(0);
	comes(0);
	set("proc.same", 5);
	passes(1000);
	assert_int_equal(sent_count, 1);
}

/* As long as the parent does not answer nothing of the variable is sent: it would pile up. */
static void one_change_is_under_way(void **state)
{
	(void)state;
	set("proc.one", 1);
	passes(0);
	set("proc.one", 2);
	passes(1000);
	assert_int_equal(sent_count, 1);
	comes(0);
	assert_int_equal(value("proc.one"), 2);
	passes(PROC_VARS_APART_MS);
	assert_int_equal(sent_count, 2);
	comes(1);
}

static void much_takes_several_turns(void **state)
{
	static char text[PROC_VARS_BYTES_ONCE];
	struct sample smp = { .type = SMP_STR, .str = { text, sizeof(text) } };

	(void)state;
	assert_true(var_set(name("proc.a"), &nothing, &smp, 0));
	assert_true(var_set(name("proc.b"), &nothing, &smp, 0));
	passes(0);
	assert_int_equal(sent_count, 1);
	assert_true(sent[0].whole > PROC_VARS_BYTES_ONCE);
	passes(PROC_VARS_APART_MS);
	assert_int_equal(sent_count, 2);
	sent[0].done(sent[0].arg, NULL, "", 0);
	sent[1].done(sent[1].arg, NULL, "", 0);
}

static void one_process_tells_nobody(void **state)
{
	(void)state;
	change_route = NULL;
	set("proc.alone", 1);
	passes(1000);
	assert_int_equal(sent_count, 0);
}

static void other_scopes_are_not_told(void **state)
{
	struct vars vars = { 0 };
	const struct view view = { .stream_vars = &vars };
	struct sample smp = number(1);

	(void)state;
	assert_true(var_set(name("txn.x"), &view, &smp, 0));
	passes(1000);
	assert_int_equal(sent_count, 0);
	vars_free(&vars);
}

/* What nobody takes stays here, and others may set it again. */
static void a_refusal_ends_it(void **state)
{
	uint64_t failed = vars_stats.failed;

	(void)state;
	set("proc.no", 1);
	passes(0);
	sent[0].done(sent[0].arg, "no room", "", 0);
	assert_int_equal(vars_stats.failed, failed + 1);
	assert_int_equal(value("proc.no"), 1);
	assert_int_equal(heard("proc.no", 2), 0);
	assert_int_equal(value("proc.no"), 2);
}

/* -- hearing ---------------------------------------------------------------------------------- */

static void others_are_heard(void **state)
{
	(void)state;
	assert_int_equal(heard("proc.heard", 7), 0);
	assert_int_equal(value("proc.heard"), 7);
	assert_int_equal(heard("proc.heard", -1), 0);
	assert_int_equal(value("proc.heard"), -1);
	passes(1000);
	assert_int_equal(sent_count, 0);
}

static void unset_is_told(void **state)
{
	(void)state;
	set("proc.gone", 1);
	passes(0);
	comes(0);
	var_unset(name("proc.gone"), &nothing);
	passes(PROC_VARS_APART_MS);
	assert_int_equal(sent_count, 2);
	comes(1);
	assert_int_equal(value("proc.gone"), -1);
	var_unset(name("proc.gone"), &nothing);
	passes(1000);
	assert_int_equal(sent_count, 2);
}

/* Whatever the order in which they come, and also while ours is to be told. */
static void the_later_one_is_kept(void **state)
{
	uint64_t before = clock_read_us() - 1, after;

	(void)state;
	set("proc.late", 1);
	assert_int_equal(heard_at(before, "proc.late", 10), 0);
	assert_int_equal(value("proc.late"), 1);
	passes(0);
	assert_int_equal(sent_count, 1);
	after = clock_read_us() + 1;
	assert_int_equal(heard_at(after, "proc.late", 12), 0);
	comes(0);
	assert_int_equal(value("proc.late"), 12);
	assert_int_equal(heard_at(after - 1, "proc.late", -1), 0);
	assert_int_equal(value("proc.late"), 12);
}

/* What we wanted to say is not said any more, once it is older than what we have heard. */
static void what_is_replaced_is_not_told(void **state)
{
	(void)state;
	set("proc.replaced", 1);
	assert_int_equal(heard_at(clock_read_us() + 1, "proc.replaced", 2), 0);
	passes(1000);
	assert_int_equal(sent_count, 0);
	set("proc.replaced", 3);
	passes(1000);
	assert_int_equal(sent_count, 1);
	comes(0);
	assert_int_equal(value("proc.replaced"), 3);
}

static void other_generations_are_not_heard(void **state)
{
	struct sample smp = number(9);
	size_t len;
	char *frame;

	(void)state;
	expr_process.generation = 2;
	set("proc.old", 5);
	passes(0);
	expr_process.generation = 3;
	var_take_away(name("proc.old"));
	assert_int_equal(hears(sent[0].bytes, sent[0].len), 0);
	assert_int_equal(value("proc.old"), -1);
	sent[0].done(sent[0].arg, NULL, "", 0);
	frame = proc_vars_frame(name("proc.old"), &smp, &len); /* of the stats socket */
	assert_int_equal(hears(frame, len), 0);
	assert_int_equal(value("proc.old"), 9);
	free(frame);
}

/* The parent has allowed the name: a worker that has none left takes it all the same. */
static void names_that_are_heard_have_no_limit(void **state)
{
	struct err err = { "" };

	(void)state;
	var_names_left = 0;
	assert_null(var_name(span_of("proc.fresh1"), &err));
	assert_int_equal(heard("proc.fresh1", 1), 0);
	assert_int_equal(value("proc.fresh1"), 1);
	assert_int_equal(var_names_left, 0);
	var_names_left = UINT32_MAX;
}

/* Bytes of a worker that was taken over. */
static void broken_changes_are_refused(void **state)
{
	static const struct {
		uint32_t type;
		const char *bytes;
		size_t len;
	} frames[] = {
		{ SMP_STR, "", 0 }, { SMP_STR, "proc.x", 6 }, { SMP_INT, "proc.x\0" "123", 10 },
		{ SMP_ANY, "proc.x\0x", 8 }, { SMP_TYPES, "proc.x\0xxxxxxxx", 15 },
		{ UINT32_MAX, "proc.x\0xxxxxxxx", 15 }, { SMP_IPV4, "proc.x\0xxxxxxxx", 15 },
		{ SMP_IPV6, "proc.x\0xxxxxxxx", 15 }, { SMP_STR, "txn.x\0x", 7 },
		{ SMP_STR, "proc.\0x", 7 }, { SMP_STR, "proc. \0x", 8 }, { SMP_STR, "\0", 1 },
	};
	size_t i, len;

	(void)state;
	for (i = 0; i < ARRAY_LEN(frames); i++) {
		struct head head = { clock_read_us() * 1024, 0, frames[i].type };
		char *copy = malloc(sizeof(head) + frames[i].len + 1);

		assert_non_null(copy);
		memcpy(copy, &head, sizeof(head));
		memcpy(copy + sizeof(head), frames[i].bytes, frames[i].len);
		assert_int_equal(hears(copy, sizeof(head) + frames[i].len), -1);
		for (len = 0; len < sizeof(head); len++)
			assert_int_equal(hears(copy, len), -1);
		free(copy);
	}
	assert_int_equal(heard_at(clock_read_us() + 10000000, "proc.future", 1), -1);
	assert_int_equal(value("proc.future"), -1);
}

static void all_types_go(void **state)
{
	const struct sample values[] = {
		{ .type = SMP_BOOL, .num = 1 }, { .type = SMP_INT, .num = -5 },
		{ .type = SMP_IPV4, .v4 = { 0x0100007f } },
		{ .type = SMP_IPV6, .v6 = { { { 1, 2 } } } },
		{ .type = SMP_STR, .str = { "a\0b", 3 } }, { .type = SMP_STR, .str = { "", 0 } },
		{ .type = SMP_BIN, .str = { "\xff", 1 } },
		{ .type = SMP_METH, .str = { "GET", 3 } },
	};
	size_t i, len;

	(void)state;
	for (i = 0; i < ARRAY_LEN(values); i++) {
		struct sample smp = { .flags = 0 };
		char *frame = proc_vars_frame(name("proc.type"), &values[i], &len);

		assert_int_equal(hears(frame, len), 0);
		free(frame);
		assert_true(var_get(name("proc.type"), &nothing, &smp));
		assert_int_equal(smp.type, values[i].type);
		if (values[i].type < SMP_IPV4)
			assert_true(smp.num == values[i].num);
		else if (values[i].type == SMP_IPV4)
			assert_int_equal(smp.v4.s_addr, values[i].v4.s_addr);
		else if (values[i].type == SMP_IPV6)
			assert_memory_equal(&smp.v6, &values[i].v6, sizeof(smp.v6));
		else
			assert_true(span_equal(smp.str, values[i].str));
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(many_values_are_one_change),
		TEST(the_same_value_is_no_change),
		TEST(one_change_is_under_way),
		TEST(much_takes_several_turns),
		TEST(one_process_tells_nobody),
		TEST(other_scopes_are_not_told),
		TEST(a_refusal_ends_it),
		TEST(others_are_heard),
		TEST(unset_is_told),
		TEST(the_later_one_is_kept),
		TEST(what_is_replaced_is_not_told),
		TEST(other_generations_are_not_heard),
		TEST(names_that_are_heard_have_no_limit),
		TEST(broken_changes_are_refused),
		TEST(all_types_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
