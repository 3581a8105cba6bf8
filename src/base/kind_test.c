/* SPDX-License-Identifier: BSD-2-Clause */
/* An object that is taken for one of another type ends the process, in builds with the sanitizers;
 * in others nothing is checked, and no object is larger. */
#include "base/kind.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct apple {
	int weight;
	KIND_MEMBER
};

struct brick {
	int length;
	KIND_MEMBER
};

/* Of a table, which makes objects of so many bytes. */
struct row {
	size_t size;
	KIND_ROW_MEMBER
};

#define MAKES(type) KIND_ROW(type) .size = sizeof(type)
static const struct row apples = { MAKES(struct apple) }, bricks = { MAKES(struct brick) };
static const struct row neither = { .size = 8 };

static const void *volatile at_hand;
static const struct row *volatile made_by;

static void take_apple(void)
{
	at_hand = KIND_OF(const struct apple, (void *)(uintptr_t)at_hand);
}

static void take_apple_or_none(void)
{
	at_hand = KIND_OR_NULL(struct apple, at_hand);
}

static void take_apple_of_row(void)
{
	at_hand = KIND_OF_ROW(struct apple, made_by, (void *)(uintptr_t)at_hand);
}

/* Does it end the process? Its last words go nowhere. */
static bool aborts(void (*take)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		signal(SIGABRT, SIG_DFL);
		close(STDERR_FILENO);
		take();
		_exit(0);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

#ifdef KINDS
static const bool checked = true;
#else
static const bool checked = false;
#endif

static void an_object_of_the_type_is_taken(void **state)
{
	struct apple apple = { .weight = 3 };

	(void)state;
	KIND_IS(struct apple, &apple);
	at_hand = &apple;
	assert_false(aborts(take_apple));
	assert_false(aborts(take_apple_or_none));
	assert_int_equal(KIND_OF(struct apple, &apple)->weight, 3);
}

static void one_of_another_type_is_not(void **state)
{
	struct brick brick = { .length = 3 };

	(void)state;
	KIND_IS(struct brick, &brick);
	at_hand = &brick;
	assert_int_equal(aborts(take_apple), checked);
	assert_int_equal(aborts(take_apple_or_none), checked);
}

static void memory_that_is_none_is_not(void **state)
{
	struct apple apple = { .weight = 3 };

	(void)state;
	at_hand = &apple;
	assert_int_equal(aborts(take_apple), checked);
}

static void none_is_taken_where_it_may(void **state)
{
	(void)state;
	at_hand = NULL;
	assert_false(aborts(take_apple_or_none));
}

/* The object itself has no room for its kind: its row says it. */
static void what_a_row_makes_is_of_its_type(void **state)
{
	struct apple apple = { .weight = 3 };

	(void)state;
	at_hand = &apple;
	made_by = &apples;
	assert_false(aborts(take_apple_of_row));
	made_by = &bricks;
	assert_int_equal(aborts(take_apple_of_row), checked);
	made_by = &neither;
	assert_int_equal(aborts(take_apple_of_row), checked);
	at_hand = NULL;
	assert_false(aborts(take_apple_of_row));
}

static void other_builds_pay_nothing(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct apple) == sizeof(int), !checked);
	assert_int_equal(sizeof(struct row) == sizeof(size_t), !checked);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_object_of_the_type_is_taken),
		cmocka_unit_test(one_of_another_type_is_not),
		cmocka_unit_test(memory_that_is_none_is_not),
		cmocka_unit_test(none_is_taken_where_it_may),
		cmocka_unit_test(what_a_row_makes_is_of_its_type),
		cmocka_unit_test(other_builds_pay_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
