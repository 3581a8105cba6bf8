/* SPDX-License-Identifier: BSD-2-Clause */
/* Our choices are the reference's: replays reg-tests/balance/recorded.txt, whose form is told in
 * contrib/record-balance, which wrote it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/str.h"
#include "lb/test_world.h"
#include "proxy/server_asked.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned line_number, choices;

static void begin(char *algorithm, char *weights)
{
	char text[65536], *weight, *option = strchr(algorithm, '+');
	struct text t;
	unsigned i = 0;

	if (option)
		*option++ = 0;
	text_init(&t, text, sizeof(text));
	text_printf(&t, " balance %s\n", algorithm);
	if (option && !strcmp(option, "allbackups"))
		text_str(&t, " option allbackups\n");
	else if (option && !strcmp(option, "avalanche"))
		text_str(&t, " hash-type map-based sdbm avalanche\n");
	while ((weight = strsep(&weights, ",")))
		text_printf(&t, " server s%u 127.0.0.1:1 maxconn 1 weight %d%s\n", i++, atoi(weight),
			    strchr(weight, 'b') ? " backup" : "");
	world_begin(text);
}

static int digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : c - 'a' + 10;
}

static void replay_choices(const char *p)
{
	bool two = world_backend()->server_count > 36;
	int expected, got;
	unsigned n = 0;

	for (; *p; p += 1 + two, n++, choices++) {
		expected = two ? digit(p[0]) * 36 + digit(p[1]) : digit(p[0]);
		got = world_pick(NULL);
		if (got != expected)
			fail_msg("line %u, choice %u of p%.20s...: %d, not %d", line_number, n, p,
				 got, expected);
	}
}

static void replay_client(char *step)
{
	char *expected = strchr(step, '=');
	int got;

	*expected++ = 0;
	got = world_pick(step);
	if (got != atoi(expected))
		fail_msg("line %u, client %s: %d, not %s", line_number, step, got, expected);
	choices++;
}

static void replay(char *step)
{
	unsigned i = (unsigned)atoi(step + 1);
	struct err err;

	switch (*step) {
	case 'p':
		replay_choices(step + 1);
		break;
	case 'k':
		replay_client(step + 1);
		break;
	case 'd':
		server_set_admin(world_server(i), ADMIN_FORCED_MAINT, 0);
		break;
	case 'u':
		server_set_admin(world_server(i), 0, ADMIN_FORCED_MAINT);
		break;
	case 'w':
		assert_int_equal(server_set_weight(world_server(i), strchr(step, '=') + 1, &err), 0);
		break;
	case 'f':
		world_take(i);
		break;
	case 'e':
		world_release(i);
		break;
	default:
		fail_msg("line %u: unknown step %s", line_number, step);
	}
}

static void choices_are_those_of_the_reference(void **state)
{
	const char *srcdir = getenv("srcdir");
	char path[4096], line[65536], *rest, *algorithm, *weights, *step;
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "%s/reg-tests/balance/recorded.txt", srcdir ? srcdir : ".");
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		line_number++;
		if (*line == '#')
			continue;
		line[strcspn(line, "\n")] = 0;
		rest = line;
		algorithm = strsep(&rest, " ");
		weights = strsep(&rest, " ");
		assert_non_null(weights);
		begin(algorithm, weights);
		while ((step = strsep(&rest, " ")))
			replay(step);
		world_end();
	}
	fclose(f);
	assert_true(choices > 20000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(choices_are_those_of_the_reference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
