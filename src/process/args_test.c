/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line: every option, and what is wrong with one. */
#include "process/args.h"

#include "base/err.h"
#include "base/memory.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct args args;
static struct err err;

static int parse(const char *const *words)
{
	const char *argv[32] = { "penstock" };
	int argc = 1;

	args_free(&args);
	while (*words)
		argv[argc++] = *words++;
	return args_parse(&args, argc, (char **)argv, &err);
}
#define PARSE(...) parse((const char *const[]){ __VA_ARGS__, NULL })

static int teardown(void **state)
{
	(void)state;
	args_free(&args);
	return 0;
}

static void refused(const char *message)
{
	assert_non_null(strstr(err.text, message));
}

static void test_files(void **state)
{
	(void)state;
	assert_int_equal(PARSE("-f", "a", "-c", "-f", "b", "--", "c", "-d"), 0);
	assert_int_equal(args.paths.count, 4);
	assert_string_equal(args.paths.items[0], "a");
	assert_string_equal(args.paths.items[1], "b");
	assert_string_equal(args.paths.items[2], "c");
	assert_string_equal(args.paths.items[3], "-d");
	assert_true(args.check);
	assert_false(args.debug);
}

static void test_flags(void **state)
{
	(void)state;
	assert_int_equal(PARSE("-c", "-d", "-db", "-D", "-q", "-V", "-dD", "-dW", "-dS", "-dp",
			       "-dG", "-dr", "-dL", "-dI"), 0);
	assert_true(args.check && args.debug && args.foreground && args.daemon && args.quiet);
	assert_true(args.verbose && args.diagnose && args.zero_warning && args.no_splice);
	assert_true(args.no_poll && args.no_getaddrinfo && args.ignore_resolution);
	assert_true(args.list_libraries && args.insecure_fork);
	assert_int_equal(args.memory, 0);
}

static void test_values(void **state)
{
	(void)state;
	assert_int_equal(PARSE("-n", "10", "-N", "20", "-m", "30", "-p", "pid", "-L", "peer",
			       "-x", "sock", "-C", "dir", "--format", "json"), 0);
	assert_int_equal(args.maxconn, 10);
	assert_int_equal(args.proxy_maxconn, 20);
	assert_int_equal(args.megabytes, 30);
	assert_string_equal(args.pidfile, "pid");
	assert_string_equal(args.local_peer, "peer");
	assert_string_equal(args.old_socket, "sock");
	assert_string_equal(args.directory, "dir");
	assert_true(args.json);
}

static void test_pids(void **state)
{
	(void)state;
	assert_int_equal(PARSE("-sf", "12", "34", "-c"), 0);
	assert_int_equal(args.old_count, 2);
	assert_int_equal(args.old_pids[1], 34);
	assert_int_equal(args.old_signal, SIGUSR1);
	assert_true(args.check);
	assert_int_equal(PARSE("-st"), 0); /* an empty list is no mistake */
	assert_int_equal(args.old_count, 0);
	assert_int_equal(args.old_signal, SIGTERM);
	assert_int_equal(PARSE("-sf", "12", "x"), -1);
	refused("'x' is no process id");
	assert_int_equal(PARSE("-sf", "0"), -1);
}

static void test_poison(void **state)
{
	(void)state;
	assert_int_equal(PARSE("-dM"), 0);
	assert_int_equal(args.poison, 0x50);
	assert_int_equal(args.memory, MEMORY_POISON);
	assert_int_equal(PARSE("-dM0"), 0);
	assert_int_equal(args.poison, 0);
	assert_int_equal(PARSE("-dM0xa5,poison"), 0);
	assert_int_equal(args.poison, 0xa5);
	assert_int_equal(PARSE("-dMno-poison"), 0);
	assert_int_equal(args.memory, 0);
	assert_int_equal(PARSE("-dM1,no-cache,fail:/a,b"), 0);
	assert_int_equal(args.memory, MEMORY_POISON | MEMORY_APART | MEMORY_FAILS);
	assert_string_equal(args.fail_file, "/a,b");
	assert_int_equal(PARSE("-dMfail,no-fail"), 0);
	assert_int_equal(args.memory, MEMORY_APART);
	assert_int_equal(args.memory_off, MEMORY_FAILS);
	assert_int_equal(PARSE("-dM256"), -1);
	assert_int_equal(PARSE("-dMintegrity"), -1);
	refused("'integrity' is not supported");
}

static void test_questions(void **state)
{
	(void)state;
	assert_int_equal(PARSE("-v"), 0);
	assert_int_equal(args.version, 1);
	assert_int_equal(PARSE("-vv"), 0);
	assert_int_equal(args.version, 2);
	assert_int_equal(PARSE("--version"), 0);
	assert_int_equal(args.version, 1);
	assert_int_equal(PARSE("--help"), 0);
	assert_true(args.help);
	assert_int_equal(PARSE("help", "timeout", "client"), 0);
	assert_true(args.help_word);
	assert_int_equal(args.words.count, 2);
	assert_int_equal(PARSE("-cc", "streq(a,a)"), 0);
	assert_true(args.check_condition);
	assert_string_equal(args.condition, "streq(a,a)");
	assert_int_equal(PARSE("-dKcfg,smp"), 0);
	assert_string_equal(args.dump, "cfg,smp");
}

static void test_missing_values(void **state)
{
	static const char *const options[] = { "-f", "-n", "-N", "-m", "-p", "-L", "-x", "-C",
					       "-cc", "--format", "-dK" };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		assert_int_equal(PARSE(options[i]), -1);
		refused("needs");
	}
}

static void test_wrong_values(void **state)
{
	(void)state;
	assert_int_equal(PARSE("-n", "5x"), -1);
	refused("option -n: <number> must be a number");
	assert_int_equal(PARSE("-n", "0"), -1);
	assert_int_equal(PARSE("-m", "-5"), -1);
	assert_int_equal(PARSE("--format", "xml"), -1);
	refused("'xml' is no format");
}

/* What the reference has and we do not is refused by name, never ignored. */
static void test_unsupported(void **state)
{
	static const char *const options[] = { "-de", "-dk", "-dR" };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		assert_int_equal(PARSE("-c", options[i]), -1);
		refused("is not supported yet");
		refused(options[i]);
	}
}

static void test_unknown(void **state)
{
	(void)state;
	assert_int_equal(PARSE("-Z"), -1);
	refused("unknown option '-Z'");
	assert_int_equal(PARSE("-dX"), -1);
	assert_int_equal(PARSE("-vvv"), -1);
	assert_int_equal(PARSE("file.cfg"), -1);
	refused("unknown argument 'file.cfg'");
}

#define TEST(f) cmocka_unit_test_teardown(f, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_files), TEST(test_flags), TEST(test_values), TEST(test_pids),
		TEST(test_poison), TEST(test_questions), TEST(test_missing_values),
		TEST(test_wrong_values), TEST(test_unsupported), TEST(test_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
