/* SPDX-License-Identifier: BSD-2-Clause */
/* A line that is read while the program serves: it has an arena and problems of its own, over the
 * data of the configuration that runs, which stays as it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/err.h"
#include "config/config.h"
#include "config/diag.h"
#include "config/fragment.h"
#include "config/load.h"
#include "config/module.h"

#include <string.h>

struct numbers {
	int number;
};

static void numbers_init(struct config *cfg, void *data)
{
	(void)cfg;
	((struct numbers *)data)->number = 42;
}

static const struct module numbers_module = { .name = "numbers", .init = numbers_init,
					      .data_size = sizeof(struct numbers) };
static const struct module *const language[] = { &numbers_module, NULL };

static struct config *running;

static int setup(void **state)
{
	(void)state;
	running = config_new(language, true);
	assert_int_equal(config_finish(running), 0);
	config_running = running;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	config_running = NULL;
	config_free(&running);
	return 0;
}

static void nothing_is_read_before_something_runs(void **state)
{
	(void)state;
	config_running = NULL;
	assert_null(fragment_new());
}

static void words_are_copied_and_read_in_order(void **state)
{
	char first[] = "maxconn", second[] = "7", *words[] = { first, second, NULL };
	struct config *cfg = fragment_new();
	struct statement st;
	int64_t value;

	(void)state;
	fragment_statement(cfg, &st, "add server", words);
	strcpy(first, "xxxxxxx");
	strcpy(second, "9");
	assert_int_equal(st.count, 2);
	assert_string_equal(st.loc.file, "add server");
	assert_true(stmt_take(&st, "maxconn"));
	assert_int_equal(stmt_int(&st, "maxconn", 0, 10, &value), 0);
	assert_int_equal(value, 7);
	assert_null(stmt_next(&st));
	assert_false(config_failed(cfg));
	fragment_free(&cfg);
	assert_null(cfg);
}

static void a_statement_may_be_without_words(void **state)
{
	struct config *cfg = fragment_new();
	char *none[] = { NULL };
	struct statement st;

	(void)state;
	fragment_statement(cfg, &st, "set server", none);
	assert_int_equal(st.count, 0);
	assert_null(stmt_peek(&st));
	fragment_free(&cfg);
}

static void it_is_over_the_data_of_the_one_that_runs(void **state)
{
	struct config *cfg = fragment_new();

	(void)state;
	assert_ptr_equal(config_data(cfg, &numbers_module), config_data(running, &numbers_module));
	assert_true(cfg->serving);
	assert_false(running->serving);
	assert_ptr_not_equal(cfg->arena, running->arena);
	fragment_free(&cfg);
	assert_int_equal(((struct numbers *)config_data(running, &numbers_module))->number, 42);
}

static void the_first_error_is_the_answer(void **state)
{
	char word[] = "x", *words[] = { word, NULL };
	struct config *cfg = fragment_new();
	struct statement st;
	struct err err;

	(void)state;
	fragment_statement(cfg, &st, "add server", words);
	stmt_warning(&st, 0, "a warning");
	assert_false(config_failed(cfg));
	stmt_error(&st, 0, "the first");
	stmt_hint(&st, "like this");
	stmt_error(&st, 0, "the second");
	assert_true(config_failed(cfg));
	assert_int_equal(fragment_problem(cfg, &err), -1);
	assert_string_equal(err.text, "the first (like this)");
	assert_false(config_failed(running));
	assert_null(running->diag->first);
	fragment_free(&cfg);
}

static void without_a_report_it_says_so_all_the_same(void **state)
{
	struct config *cfg = fragment_new();
	struct err err;

	(void)state;
	assert_int_equal(fragment_problem(cfg, &err), -1);
	assert_string_equal(err.text, "it cannot be understood");
	fragment_free(&cfg);
}

static void what_was_made_stays_when_reading_is_over(void **state)
{
	struct config *cfg = fragment_new();
	struct arena *arena = cfg->arena;
	char *made = arena_strdup(arena, "made"), *words[] = { made, NULL };
	struct statement st;

	(void)state;
	fragment_statement(cfg, &st, "add server", words);
	fragment_done(cfg);
	assert_null(cfg->reader);
	assert_string_equal(made, "made");
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nothing_is_read_before_something_runs, setup,
						teardown),
		cmocka_unit_test_setup_teardown(words_are_copied_and_read_in_order, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_statement_may_be_without_words, setup, teardown),
		cmocka_unit_test_setup_teardown(it_is_over_the_data_of_the_one_that_runs, setup,
						teardown),
		cmocka_unit_test_setup_teardown(the_first_error_is_the_answer, setup, teardown),
		cmocka_unit_test_setup_teardown(without_a_report_it_says_so_all_the_same, setup,
						teardown),
		cmocka_unit_test_setup_teardown(what_was_made_stays_when_reading_is_over, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
