/* SPDX-License-Identifier: BSD-2-Clause */
/* Questions to other processes: here all of them are conversations in one loop, and the changes go
 * to a log that the test plays. */
#include "base/tables.h"
#include "cli/question.h"

#include "cli/cli.h"
#include "cli/conversation.h"
#include "cli/help.h"
#include "cli/modes.h"
#include "cli/shared.h"
#include "cli/tables.h"
#include "event/talk.h"
#include "share/segment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LINES = 3000 };

/* -- commands of the test -------------------------------------------------------------------- */

static int own_start(struct cli_call *call, struct err *err)
{
	(void)err;
	for (int i = 0; i < call->argc; i++)
		text_printf(call->out, "<%s>", call->argv[i]);
	if (call->payload)
		text_printf(call->out, "{%s}", call->payload);
	text_str(call->out, cli_mode(call->cli, CLI_EXPERT) ? " expert\n" : "\n");
	return 0;
}

struct long_state {
	int at;
};

static enum cli_step long_next(struct cli_call *call)
{
	struct long_state *state = CLI_STATE_OF(struct long_state, call);

	if (state->at == LINES)
		return CLI_END;
	text_printf(call->out, "line %d\n", state->at++);
	return CLI_MORE;
}

static char value[64];

static int set_start(struct cli_call *call, struct err *err)
{
	if (!*cli_arg(call, 0))
		return err_set(err, "a value is missing");
	snprintf(value, sizeof(value), "%s", cli_arg(call, 0));
	text_printf(call->out, "set to %s\n", value);
	return 0;
}

static const struct cli_command test_commands[] = {
	{ .words = "own", .level = LEVEL_USER, .flags = CLI_GATHER, .start = own_start, .help = "o" },
	{ .words = "long", .level = LEVEL_USER, .flags = CLI_GATHER, .next = long_next,
	  CLI_STATE(struct long_state), .help = "l" },
	{ .words = "set", .level = LEVEL_ADMIN, .flags = CLI_SHARED, .start = set_start, .help = "s" },
	{ .words = NULL },
};

struct tables cli_tables = TABLES("command", struct cli_command, test_commands, cli_mode_commands, cli_help_commands);

/* -- a world --------------------------------------------------------------------------------- */

static bool nobody_answers;
static int talks;

static unsigned open_talk(unsigned row, int level, talk_opened *opened, void *arg)
{
	int fds[2];

	(void)row;
	talks++;
	if (nobody_answers) {
		opened(arg, -1, "there is no such process");
		return 0;
	}
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
	conversation_serve_talk(fds[1], level);
	opened(arg, fds[0], NULL);
	return 0;
}

static change_done *waiting;
static void *waiting_arg;
static char submitted[256];
static size_t submitted_len;

static unsigned take_change(const struct change_kind *kind, const void *bytes, size_t len,
			    change_done *done, void *arg)
{
	assert_ptr_equal(kind, &cli_change);
	memcpy(submitted, bytes, len);
	submitted_len = len;
	waiting = done;
	waiting_arg = arg;
	return 7;
}

static unsigned forgotten;

static void forget_change(unsigned ticket)
{
	forgotten = ticket;
}

static struct cli *cli;
static char said[1 << 17];
static size_t said_len;

static int begin(void **state)
{
	struct err err;
	int row;

	(void)state;
	assert_int_equal(loop_init(16), 0);
	segment = segment_new(SEGMENT_ROWS_LEAST, &err);
	for (int n = 1; n <= 3; n++) {
		row = segment_take_row(segment, 1, (uint32_t)n);
		atomic_store(&segment_row(segment, (unsigned)row)->pid, n == 2 ? 0 : 100 + n);
	}
	talk_open = open_talk;
	change_route = take_change;
	change_route_forget = forget_change;
	cli = cli_new(LEVEL_ADMIN, CLI_SEVERITY_NONE);
	said_len = 0;
	talks = 0;
	waiting = NULL;
	forgotten = 0;
	value[0] = 0;
	nobody_answers = false;
	return 0;
}

static int end(void **state)
{
	(void)state;
	cli_free(&cli);
	conversations_drop();
	loop_turn(0);
	segment_free(&segment);
	loop_free();
	change_route = NULL;
	talk_open = NULL;
	return 0;
}

/* Sends the line and turns the loop until its answer is complete, or nothing happens any more. */
static void say(const char *line)
{
	size_t n;

	assert_int_equal(cli_input(cli, line, strlen(line)), strlen(line));
	for (int turns = 0; turns < 2000; turns++) {
		while ((n = cli_output(cli, said + said_len, CLI_OUTPUT_MIN)))
			said_len += n;
		if (cli_done(cli) || cli_idle(cli))
			break;
		loop_turn(1);
	}
	said[said_len] = 0;
}

/* -- claims ---------------------------------------------------------------------------------- */

static void every_process_is_asked_once(void **state)
{
	(void)state;
	say("own a b\\ c \\;d\n");
	assert_string_equal(said, "<a><b c><;d>\n<a><b c><;d>\n<a><b c><;d>\n\n");
	assert_int_equal(talks, 3); /* one row has nobody */
}

static void payload_and_modes_go_along(void **state)
{
	(void)state;
	cli_set_mode(cli, CLI_EXPERT, true);
	say("own <<\nx\ny\n\n");
	assert_string_equal(said, "{x\ny\n} expert\n{x\ny\n} expert\n{x\ny\n} expert\n\n");
}

/* Those that are asked would wait for a payload that does not come. */
static void what_looks_like_a_payload_is_a_word(void **state)
{
	(void)state;
	say("own a <<;own <<;own b\n");
	assert_string_equal(said, "<a><<<>\n<a><<<>\n<a><<<>\n\n<<<>\n<<<>\n<<<>\n\n<b>\n<b>\n<b>\n\n");
}

static void long_answers_are_whole(void **state)
{
	char *at = said, line[32];

	(void)state;
	say("long\n");
	for (int i = 0; i < 3 * LINES; i++) {
		int len = snprintf(line, sizeof(line), "line %d\n", i % LINES);

		assert_memory_equal(at, line, (size_t)len);
		at += len;
	}
	assert_string_equal(at, "\n");
}

static void who_has_gone_is_left_out(void **state)
{
	(void)state;
	nobody_answers = true;
	say("own\n");
	assert_string_equal(said, "\n");
}

static void a_talk_shows_its_own(void **state)
{
	(void)state;
	cli_make_talk(cli, true);
	say("own x\n");
	assert_string_equal(said, "<x>\n\n");
	assert_int_equal(talks, 0);
}

static void a_change_waits_for_the_log(void **state)
{
	char memory[64];
	struct text text;
	struct err err;

	(void)state;
	say("set it\n");
	assert_int_equal(said_len, 0);
	assert_string_equal(value, "");
	text_init(&text, memory, sizeof(memory));
	assert_int_equal(cli_change.apply(submitted, submitted_len, &text, &err), 0);
	assert_string_equal(value, "it");
	waiting(waiting_arg, NULL, text.ptr, text.len);
	say("");
	assert_string_equal(said, "set to it\n\n");
	assert_int_equal(forgotten, 0);
}

static void a_refusal_is_told(void **state)
{
	char memory[64];
	struct text text;
	struct err err;

	(void)state;
	say("set\n");
	text_init(&text, memory, sizeof(memory));
	assert_int_equal(cli_change.apply(submitted, submitted_len, &text, &err), -1);
	assert_string_equal(err.text, "a value is missing");
	waiting(waiting_arg, err.text, "", 0);
	say("");
	assert_string_equal(said, "a value is missing\n\n");
}

static void who_leaves_is_forgotten(void **state)
{
	(void)state;
	say("set it\n");
	cli_free(&cli);
	assert_int_equal(forgotten, 7);
}

static void rights_are_asked_here_and_there(void **state)
{
	char memory[64];
	struct text text;
	struct err err;

	(void)state;
	say("set it\n");
	submitted[0] = LEVEL_USER;
	text_init(&text, memory, sizeof(memory));
	assert_int_equal(cli_change.apply(submitted, submitted_len, &text, &err), -1);
	assert_string_equal(err.text, "Permission denied");
	for (size_t cut = 0; cut < submitted_len; cut++)
		cli_change.apply(submitted, cut, &text, &err);
	assert_string_equal(value, "");
}

int main(void)
{
#define CLAIM(f) cmocka_unit_test_setup_teardown(f, begin, end)
	const struct CMUnitTest tests[] = {
		CLAIM(every_process_is_asked_once), CLAIM(payload_and_modes_go_along),
		CLAIM(what_looks_like_a_payload_is_a_word),
		CLAIM(long_answers_are_whole),      CLAIM(who_has_gone_is_left_out),
		CLAIM(a_talk_shows_its_own),        CLAIM(a_change_waits_for_the_log),
		CLAIM(a_refusal_is_told),           CLAIM(who_leaves_is_forgotten),
		CLAIM(rights_are_asked_here_and_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
