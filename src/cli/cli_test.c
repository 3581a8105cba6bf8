/* SPDX-License-Identifier: BSD-2-Clause */
/* The conversation: lines, commands, words, prompts, payloads, levels, and answers that come
 * piece by piece. Its tables are its own, with commands that show what they were given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/tables.h"
#include "cli/cli.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/language_help.h"
#include "cli/modes.h"
#include "cli/tables.h"
#include "proxy/global.h"

#include <stdio.h>
#include <stdlib.h>

/* -- commands of the test -------------------------------------------------------------------- */

static int echo_start(struct cli_call *call, struct err *err)
{
	(void)err;
	for (int i = 0; i < call->argc; i++)
		text_printf(call->out, "<%s>", call->argv[i]);
	if (call->payload)
		text_printf(call->out, "{%s}", call->payload);
	text_char(call->out, '\n');
	return 0;
}

static int fail_start(struct cli_call *call, struct err *err)
{
	return err_set(err, "failed with %s", cli_arg(call, 0));
}

static int live_states;

struct count_state {
	int at, to;
};

static int count_start(struct cli_call *call, struct err *err)
{
	struct count_state *state = CLI_STATE_OF(struct count_state, call);

	(void)err;
	state->to = atoi(cli_arg(call, 0));
	live_states++;
	return 0;
}

static enum cli_step count_next(struct cli_call *call)
{
	struct count_state *state = CLI_STATE_OF(struct count_state, call);

	if (state->at == state->to)
		return CLI_END;
	text_printf(call->out, "%d\n", state->at++);
	return CLI_MORE;
}

static void count_end(struct cli_call *call)
{
	(void)call;
	live_states--;
}

static int things_to_say;

static enum cli_step wait_next(struct cli_call *call)
{
	if (cli_key_pressed(call->cli))
		return CLI_END;
	if (!things_to_say)
		return CLI_WAIT;
	things_to_say--;
	text_str(call->out, "news\n");
	return CLI_MORE;
}

static const struct cli_command test_commands[] = {
	{ .words = "echo", .args = "[...]", .level = LEVEL_USER, .start = echo_start, .help = "e" },
	{ .words = "echo loud", .level = LEVEL_OPERATOR, .start = echo_start, .help = "l" },
	{ .words = "echo secret", .level = LEVEL_ADMIN, .start = echo_start, .help = "s" },
	{ .words = "fail", .level = LEVEL_USER, .start = fail_start, .help = "f" },
	{ .words = "count", .level = LEVEL_USER, .start = count_start, .next = count_next,
	  .end = count_end, CLI_STATE(struct count_state), .help = "c" },
	{ .words = "wait", .level = LEVEL_USER, .flags = CLI_KEY, .next = wait_next, .help = "w" },
	{ .words = "danger", .level = LEVEL_ADMIN, .flags = CLI_EXPERT, .start = echo_start,
	  .help = "d" },
	{ .words = "half", .level = LEVEL_ADMIN, .flags = CLI_EXPERIMENTAL, .start = echo_start,
	  .help = "h" },
	{ .words = "alike", .level = LEVEL_ADMIN, .flags = CLI_SHARED, .start = echo_start,
	  .help = "a" },
	{ .words = "some day", .level = LEVEL_USER, .flags = CLI_LATER },
	{ .words = NULL },
};

struct tables cli_tables = TABLES("command", struct cli_command, test_commands, cli_mode_commands, cli_help_commands);

/* -- helpers --------------------------------------------------------------------------------- */

static char said[1 << 20];
static size_t said_len;

/* All that it says now. */
static void drain(struct cli *cli)
{
	size_t n;

	while ((n = cli_output(cli, said + said_len, CLI_OUTPUT_MIN)))
		said_len += n;
	said[said_len] = 0;
}

/* Feeds it in pieces of at most size bytes and notes what it says. */
static void feed(struct cli *cli, const char *bytes, size_t len, size_t size)
{
	size_t taken, tries = 0;

	while (len && !cli_done(cli) && tries < 2) {
		taken = cli_input(cli, bytes, len < size ? len : size);
		tries = taken ? 0 : tries + 1;
		bytes += taken;
		len -= taken;
		drain(cli);
	}
}

static struct cli *start(int level)
{
	said_len = 0;
	said[0] = 0;
	return cli_new(level, CLI_SEVERITY_NONE);
}

/* A whole conversation: in goes input, out must come expected; done tells how it ends. The
 * same must happen byte by byte. */
static void check(int level, const char *input, const char *expected, bool done)
{
	static const size_t sizes[] = { 1, 3, 1 << 20 };

	for (size_t i = 0; i < 3; i++) {
		struct cli *cli = start(level);

		feed(cli, input, strlen(input), sizes[i]);
		assert_string_equal(said, expected);
		assert_int_equal(cli_done(cli), done);
		assert_int_equal(cli_idle(cli), !done);
		cli_free(&cli);
		assert_null(cli);
	}
}

/* -- tests ----------------------------------------------------------------------------------- */

static void one_command_and_it_closes(void **state)
{
	(void)state;
	check(LEVEL_USER, "echo a  b\n", "<a><b>\n\n", true);
	check(LEVEL_USER, "  echo\ta \r\n", "<a>\n\n", true);
	check(LEVEL_USER, "echo a", "", false);
}

static void several_by_semicolon(void **state)
{
	(void)state;
	check(LEVEL_USER, "echo a;echo b; fail x ;echo\n",
	      "<a>\n\n<b>\n\nfailed with x\n\n\n\n", true);
	check(LEVEL_USER, "echo a;\n", "<a>\n\n\n", true);
	check(LEVEL_USER, ";; \t;echo a\n", "\n\n\n<a>\n\n", true);
	check(LEVEL_USER, "\n", "\n", true);
	check(LEVEL_USER, "prompt i\necho a\necho b <<\nx\n\n", "\n<a>\n\n<b>{x\n}\n\n", false);
	check(LEVEL_USER, "prompt p\nprompt p\necho a\n", "\n> \n> <a>\n\n> ", false);
	check(LEVEL_USER, "prompt i\nprompt n;echo a\n", "\n\n<a>\n\n", true);
	check(LEVEL_USER, "prompt n;echo a\n", "\n<a>\n\n", true);
	global_state->start_ms = 1000;
	clock_now_ms = 1000 + 93784000; /* a day, two hours, three minutes, four seconds */
	check(LEVEL_USER, "prompt timed\nprompt timed;echo\n", "\n[1:02:03:04]> \n> \n\n> ", false);
	check(LEVEL_USER, "prompt\nprompt timed\nprompt\n", "\n> \n[1:02:03:04]> \n", true);
	check(LEVEL_USER, "prompt timed\nprompt i\nprompt timed p\n", "\n[1:02:03:04]> \n\n> ", false);
	check(LEVEL_USER, "prompt\n\n\r\necho a\n", "\n> \n> \n> <a>\n\n> ", false);
}

static void backslashes_protect(void **state)
{
	(void)state;
	check(LEVEL_USER, "echo a\\;b\\ c \\\\;echo d\\e\n", "<a;b c><\\>\n\n<de>\n\n", true);
	check(LEVEL_USER, "echo a\\\n", "<a\\>\n\n", true);
}

static void longest_row_is_taken(void **state)
{
	(void)state;
	check(LEVEL_ADMIN, "echo loud x;echo louder x\n", "<x>\n\n<louder><x>\n\n", true);
}

static void levels_are_obeyed(void **state)
{
	(void)state;
	check(LEVEL_USER, "echo loud;echo secret\n",
	      "Permission denied\n\nPermission denied\n\n", true);
	check(LEVEL_OPERATOR, "echo loud;echo secret\n", "\n\nPermission denied\n\n", true);
	check(LEVEL_ADMIN, "show cli level;operator;show cli level;echo secret;user;operator\n",
	      "admin\n\n\noperator\n\nPermission denied\n\n\nPermission denied\n\n", true);
}

static void dangerous_commands_need_their_mode(void **state)
{
	(void)state;
	check(LEVEL_ADMIN, "danger a;expert-mode on;expert-mode;danger b;operator;expert-mode\n",
	      "This command is restricted to expert mode only.\n\n\nexpert-mode is ON\n\n<b>\n\n\n"
	      "Permission denied\n\n",
	      true);
	check(LEVEL_ADMIN, "half;experimental-mode on;half a;experimental-mode off;half\n",
	      "This command is restricted to experimental mode only.\n\n\n<a>\n\n\n"
	      "This command is restricted to experimental mode only.\n\n",
	      true);
}

static void known_but_missing_says_so(void **state)
{
	(void)state;
	check(LEVEL_USER, "some day or other\n", "'some day' is not supported yet.\n\n", true);
}

static void prompt_keeps_it_open(void **state)
{
	(void)state;
	check(LEVEL_USER, "prompt\necho a\necho b;echo c\n",
	      "\n> <a>\n\n> <b>\n\n> <c>\n\n> ", false);
	check(LEVEL_USER, "prompt;echo a;quit;echo b\n", "\n> <a>\n\n> ", true);
	check(LEVEL_USER, "prompt\nprompt;echo a\n", "\n> \n<a>\n\n", true);
}

static void quit_closes_at_once(void **state)
{
	(void)state;
	check(LEVEL_USER, "quit\n", "", true);
	check(LEVEL_USER, "echo a;quit;echo b\n", "<a>\n\n", true);
}

static void payload_ends_with_an_empty_line(void **state)
{
	(void)state;
	check(LEVEL_USER, "echo a <<\nx;y\nz\n\n", "<a>{x;y\nz\n}\n\n", true);
	check(LEVEL_USER, "echo a;echo b <<\r\nx\r\n\r\n", "<a>\n\n<b>{x\r\n}\n\n", true);
	check(LEVEL_USER, "prompt\necho <<\nx\n\necho\n", "\n> + + {x\n}\n\n> \n\n> ", false);
	check(LEVEL_USER, "echo a<<\n", "<a<<>\n\n", true);
	check(LEVEL_USER, "echo a <<\n\n", "<a>{}\n\n", true);
}

static void lines_already_there_are_carried_out(void **state)
{
	struct cli *cli = start(LEVEL_USER);
	const char input[] = "echo a\necho b\nec";

	(void)state;
	feed(cli, input, sizeof(input) - 1, sizeof(input));
	assert_string_equal(said, "<a>\n\n<b>\n\n");
	assert_false(cli_done(cli));
	feed(cli, "ho c\n", 5, 5);
	assert_string_equal(said, "<a>\n\n<b>\n\n<c>\n\n");
	assert_true(cli_done(cli));
	cli_free(&cli);
}

static void half_a_line_is_not_carried_out(void **state)
{
	struct cli *cli = start(LEVEL_USER);

	(void)state;
	feed(cli, "echo 10", 7, 7);
	cli_input_end(cli);
	drain(cli);
	assert_string_equal(said, "");
	assert_true(cli_done(cli));
	cli_free(&cli);
}

static void severities_are_shown(void **state)
{
	(void)state;
	check(LEVEL_USER, "set severity-output number;fail a;show cli level;echo\n",
	      "\n[3]: failed with a\n\n[6]: user\n\n\n\n", true);
	check(LEVEL_USER, "set severity-output string;fail a;set severity-output none;fail b\n",
	      "\n[err]: failed with a\n\n\nfailed with b\n\n", true);
	check(LEVEL_USER, "set severity-output loud\n",
	      "one of 'none', 'number', 'string' is a required argument\n\n", true);
}

static void timeout_is_set(void **state)
{
	static const struct {
		const char *arg;
		unsigned ms;
	} cases[] = { { "10", 10000 }, { "2m", 120000 }, { "0", 0 },    { "x", 0 },
		      { "1h", 3600000 }, { "5x", 0 },    { "10mm", 0 }, { "99999999999", 0 },
		      { "123456789012345678901234567890", 0 } };
	char line[128];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cli *cli = start(LEVEL_USER);

		snprintf(line, sizeof(line), "set timeout cli %s\n", cases[i].arg);
		feed(cli, line, strlen(line), 99);
		assert_int_equal(cli_timeout(cli), cases[i].ms);
		assert_string_equal(said, cases[i].ms ? "\n" : "Invalid timeout value.\n\n");
		cli_free(&cli);
	}
}

static void help_lists_what_the_level_may(void **state)
{
	struct cli *cli = start(LEVEL_USER);

	(void)state;
	feed(cli, "help\n", 5, 5);
	assert_non_null(strstr(said, "The following commands are valid at this level:\n"));
	assert_non_null(strstr(said, "  echo [...]                              : e\n"));
	assert_null(strstr(said, "echo loud"));
	assert_null(strstr(said, "some day"));
	assert_null(strstr(said, "danger"));
	assert_non_null(
		strstr(said,
		       "  help [<command>]                        : list matching or all commands\n"
		       "  prompt [n|i|p|timed]                    : toggle interactive mode with "
		       "prompt\n"
		       "  quit                                    : disconnect\n\n"));
	cli_free(&cli);
}

#define HELP_TAIL                                                                    \
	"  help [<command>]                        : list matching or all commands\n" \
	"  prompt [n|i|p|timed]                    : toggle interactive mode with prompt\n" \
	"  quit                                    : disconnect\n\n"

static void help_finds_by_beginning_and_likeness(void **state)
{
	(void)state;
	check(LEVEL_ADMIN, "help echo l\n",
	      "The following commands are valid at this level:\n"
	      "  echo loud                               : l\n" HELP_TAIL,
	      true);
	check(LEVEL_ADMIN, "cuont 5\n",
	      "Unknown command, but maybe one of the following ones is a better match:\n"
	      "  count                                   : c\n" HELP_TAIL,
	      true);
	check(LEVEL_ADMIN, "ech\n",
	      "Unknown command, but maybe one of the following ones is a better match:\n"
	      "  echo [...]                              : e\n"
	      "  echo loud                               : l\n"
	      "  echo secret                             : s\n" HELP_TAIL,
	      true);
	check(LEVEL_ADMIN, "show cli nothing of it\n",
	      "Unknown command, but maybe one of the following ones is a better match:\n"
	      "  show cli level                          : display the level of the current CLI "
	      "session\n" HELP_TAIL,
	      true);
}

static void unlike_any_command_shows_all(void **state)
{
	struct cli *cli = start(LEVEL_ADMIN);

	(void)state;
	feed(cli, "0123456\n", 8, 1);
	assert_non_null(strstr(said, "Unknown command. Please enter one of the following commands "
				     "only:\n"));
	assert_non_null(strstr(said, "  echo secret "));
	assert_true(cli_done(cli));
	cli_free(&cli);
}

static void long_answers_come_in_pieces(void **state)
{
	static char piece[CLI_OUTPUT_MIN];
	struct cli *cli = start(LEVEL_USER);
	size_t n, total = 0, pieces = 0;

	(void)state;
	assert_int_equal(cli_input(cli, "count 100000\n", 13), 13);
	while ((n = cli_output(cli, piece, sizeof(piece)))) {
		assert_int_equal(cli_input(cli, "echo\n", 5), 0);
		total += n;
		pieces++;
	}
	assert_int_equal(total, 588890 + 1);
	assert_true(pieces > 588890 / CLI_OUTPUT_MIN);
	assert_true(cli_done(cli));
	assert_int_equal(live_states, 0);
	cli_free(&cli);
}

static void peer_gone_in_the_middle_frees_all(void **state)
{
	static char piece[CLI_OUTPUT_MIN];
	struct cli *cli = start(LEVEL_USER);

	(void)state;
	cli_input(cli, "count 100000;count 5\n", 21);
	cli_output(cli, piece, sizeof(piece));
	assert_int_equal(live_states, 1);
	cli_free(&cli);
	assert_int_equal(live_states, 0);
}

static int woken;

static void on_wake(void *arg)
{
	(*(int *)arg)++;
}

static void waiting_command_ends_by_any_key(void **state)
{
	struct cli *cli = start(LEVEL_USER);

	(void)state;
	cli_on_wake(cli, on_wake, &woken);
	things_to_say = 2;
	feed(cli, "wait;echo a\n", 12, 12);
	assert_string_equal(said, "news\nnews\n");
	assert_false(cli_idle(cli));
	assert_false(cli_done(cli));
	things_to_say = 1;
	cli_wake(cli);
	assert_int_equal(woken, 1);
	drain(cli);
	assert_string_equal(said, "news\nnews\nnews\n");
	assert_int_equal(cli_input(cli, "x\n", 2), 2);
	drain(cli);
	assert_string_equal(said, "news\nnews\nnews\n\n<a>\n\n");
	assert_true(cli_done(cli));
	cli_free(&cli);
}

static void waiting_command_ends_with_the_input(void **state)
{
	struct cli *cli = start(LEVEL_USER);

	(void)state;
	feed(cli, "wait\n", 5, 5);
	cli_input_end(cli);
	drain(cli);
	assert_string_equal(said, "\n");
	assert_true(cli_done(cli));
	cli_free(&cli);
}

/* Each of 5000 commands is far below the limit. */
static void a_line_of_many_commands_has_no_limit(void **state)
{
	static const size_t sizes[] = { 1, 1000, 1 << 20 };
	static char line[70000], expected[70000];
	size_t len = 0, end = 0;
	struct cli *cli;

	(void)state;
	for (int i = 0; i < 5000; i++) {
		len += (size_t)sprintf(line + len, "echo %d\\;;", i);
		end += (size_t)sprintf(expected + end, "<%d;>\n\n", i);
	}
	sprintf(line + len, "echo last <<\nof; it\n\n");
	sprintf(expected + end, "<last>{of; it\n}\n\n");
	for (int i = 0; i < 3; i++) {
		cli = start(LEVEL_ADMIN);
		feed(cli, line, strlen(line), sizes[i]);
		assert_string_equal(said, expected);
		assert_true(cli_done(cli));
		cli_free(&cli);
	}
}

static void a_command_that_is_too_long_ends_its_line(void **state)
{
	static char line[80000];
	struct cli *cli = start(LEVEL_ADMIN);
	size_t len = 0;

	(void)state;
	for (int i = 0; i < 2000; i++)
		len += (size_t)sprintf(line + len, "echo a;");
	memset(line + len, 'x', 40000);
	feed(cli, line, len + 40000, 500);
	assert_int_equal(said_len, 2000 * 5 + strlen(strstr(said, "Command too long")));
	feed(cli, ";echo b\necho c\n", 15, 15);
	assert_null(strstr(said, "<b>"));
	assert_null(strstr(said, "<c>"));
	assert_true(cli_done(cli));
	cli_free(&cli);
}

static void too_long_a_line_closes(void **state)
{
	static char line[100000];
	struct cli *cli = start(LEVEL_ADMIN);

	(void)state;
	memset(line, 'x', sizeof(line));
	feed(cli, line, sizeof(line), 1000);
	assert_string_equal(said, "Command too long (with its payload more than 16384 bytes): it was not "
			    "carried out. tune.bufsize sets the limit.\n\n");
	assert_false(cli_done(cli)); /* the rest is read: a connection with unread bytes would be reset */
	feed(cli, "\n", 1, 1);
	assert_true(cli_done(cli));
	cli_free(&cli);
}

static void payload_without_end_is_bounded(void **state)
{
	struct cli *cli = start(LEVEL_ADMIN);

	(void)state;
	feed(cli, "prompt\necho <<\n", 15, 15);
	for (int i = 0; i < 100000 && !strstr(said, "too long"); i++)
		feed(cli, "x\n", 2, 2);
	assert_non_null(strstr(said, "+ + + "));
	assert_non_null(strstr(said, "Command too long"));
	feed(cli, "x\nx\r\n", 5, 5);
	assert_false(cli_done(cli));
	feed(cli, "\r\n", 2, 1);
	assert_true(cli_done(cli));
	cli_free(&cli);
}

static void the_limit_is_set(void **state)
{
	static char line[40000];
	struct cli *cli;
	size_t len;

	(void)state;
	cli_line_most = 30000; /* no power of two */
	for (len = 29998; len <= 30001; len++) {
		cli = start(LEVEL_ADMIN);
		memcpy(line, "fail <<\n", 8);
		memset(line + 8, 'x', sizeof(line) - 8);
		line[len - 2] = line[len - 1] = '\n';
		feed(cli, line, len, 7000);
		assert_int_equal(!strstr(said, "Command too long"), len <= 30000);
		cli_free(&cli);
	}
	cli_line_most = CLI_LINE_LEAST;
}

static void many_payload_prompts_fit(void **state)
{
	static char input[16000];
	struct cli *cli = start(LEVEL_ADMIN);

	(void)state;
	feed(cli, "prompt\n", 7, 7);
	memcpy(input, "echo <<\n", 8);
	for (size_t i = 8; i < sizeof(input); i += 2)
		memcpy(input + i, "x\n", 2);
	feed(cli, input, sizeof(input), sizeof(input));
	feed(cli, "\n", 1, 1);
	assert_non_null(strstr(said, "+ {x\nx\n"));
	assert_true(cli_idle(cli));
	cli_free(&cli);
}

static void too_many_words_are_refused(void **state)
{
	static char line[4096] = "echo";

	(void)state;
	for (int i = 0; i < 63; i++)
		strcat(line, " w");
	strcat(line, "\n");
	struct cli *cli = start(LEVEL_USER);
	feed(cli, line, strlen(line), 4096);
	assert_int_equal(said_len, 63 * 3 + 2);
	cli_free(&cli);
	line[strlen(line) - 1] = 0;
	strcat(line, " w\n");
	check(LEVEL_USER, line, "Too many words (at most 64).\n\n", true);
}

static void zero_bytes_are_blanks(void **state)
{
	struct cli *cli = start(LEVEL_USER);

	(void)state;
	feed(cli, "echo\0a\0\0b\n", 10, 10);
	assert_string_equal(said, "<a><b>\n\n");
	cli_free(&cli);
}

static void many_commands_on_a_line(void **state)
{
	static char line[16384], piece[CLI_OUTPUT_MIN];
	struct cli *cli = start(LEVEL_USER);
	size_t n, answers = 0;

	(void)state;
	for (size_t i = 0; i + 5 <= sizeof(line); i += 5)
		memcpy(line + i, "echo;", 5);
	line[16379] = '\n';
	assert_int_equal(cli_input(cli, line, 16380), 16380);
	while ((n = cli_output(cli, piece, sizeof(piece))))
		answers += n / 2;
	assert_int_equal(answers, sizeof(line) / 5);
	assert_true(cli_done(cli));
	cli_free(&cli);
}

/* "@1 prompt": who asks for it would wait for ever. */
static void a_question_of_another_process_has_an_end(void **state)
{
	struct cli *cli = start(LEVEL_USER);

	(void)state;
	cli_make_talk(cli, true);
	feed(cli, "prompt\n", 7, 7);
	assert_string_equal(said, "\n");
	assert_true(cli_done(cli));
	cli_free(&cli);
}

/* What other processes ask for by the log of changes. */
static void apply(const char *one, const char *two, int rc, const char *expected)
{
	char first[16], second[16], memory[100], *words[] = { first, second, NULL };
	struct err err = { "" };
	struct text t;

	snprintf(first, sizeof(first), "%s", one);
	snprintf(second, sizeof(second), "%s", two);
	text_init(&t, memory, sizeof(memory));
	assert_int_equal(cli_apply(LEVEL_ADMIN, CLI_SEVERITY_NONE, words, NULL, &t, &err), rc);
	assert_string_equal(rc ? err.text : memory, expected);
}

static void others_may_ask_for_what_all_do_alone(void **state)
{
	(void)state;
	apply("alike", "x", 0, "<x>\n");
	apply("echo", "x", -1, "there is no such command here");
	apply("danger", "x", -1, "there is no such command here");
	apply("count", "3", -1, "there is no such command here");
	apply("strange", "x", -1, "there is no such command here");
}

/* A parent's help must not be that of the workers that are forked from it. */
static void help_follows_the_tables(void **state)
{
	static const struct cli_command other[] = {
		{ .words = "elsewhere", .level = LEVEL_USER, .help = "o" }, { .words = NULL },
	};
	static const struct tables others = TABLES("command", struct cli_command, other,
						   cli_help_commands);

	(void)state;
	cli_conversation_tables = &others;
	check(LEVEL_USER, "help\n", "The following commands are valid at this level:\n"
	      "  elsewhere                               : o\n"
	      "  help [<command>]                        : list matching or all commands\n\n", true);
	cli_conversation_tables = &cli_tables;
	check(LEVEL_USER, "help cou\n", "The following commands are valid at this level:\n"
	      "  count                                   : c\n"
	      "  help [<command>]                        : list matching or all commands\n"
	      "  prompt [n|i|p|timed]                    : toggle interactive mode with prompt\n"
	      "  quit                                    : disconnect\n\n", true);
}

/* What stands around a word in files is taken off; and capitals, but of what has arguments. */
static void words_of_files_are_bared(void **state)
{
	static const struct {
		const char *word, *bare; /* NULL: there is nothing to take off */
	} rows[] = {
		{ "path", NULL }, { "PATH", "path" }, { "Str_Beg", "str_beg" },
		{ "hdr(host)", "hdr" }, { "src,lower", "src" }, { "Hdr(host)", "Hdr" },
		{ "%[src]", "src" }, { "%[src,lower]", "src" }, { "%[src", "src" },
		{ "%src", NULL }, { "%[]", NULL }, { "(host)", NULL }, { "", NULL },
		{ "seventh", NULL }, { "SEVENTH", "seventh" }, { "EIGHTHS!", NULL },
	};
	char memory[8];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(rows); i++) {
		const char *bare = language_bare(rows[i].word, memory, sizeof(memory));

		if (rows[i].bare ? !bare || strcmp(bare, rows[i].bare) != 0 : bare != NULL)
			fail_msg("%s: %s", rows[i].word, bare ? bare : "NULL");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_of_files_are_bared),
		cmocka_unit_test(one_command_and_it_closes),
		cmocka_unit_test(several_by_semicolon),
		cmocka_unit_test(backslashes_protect),
		cmocka_unit_test(longest_row_is_taken),
		cmocka_unit_test(levels_are_obeyed),
		cmocka_unit_test(dangerous_commands_need_their_mode),
		cmocka_unit_test(known_but_missing_says_so),
		cmocka_unit_test(prompt_keeps_it_open),
		cmocka_unit_test(quit_closes_at_once),
		cmocka_unit_test(payload_ends_with_an_empty_line),
		cmocka_unit_test(lines_already_there_are_carried_out),
		cmocka_unit_test(half_a_line_is_not_carried_out),
		cmocka_unit_test(severities_are_shown),
		cmocka_unit_test(timeout_is_set),
		cmocka_unit_test(help_lists_what_the_level_may),
		cmocka_unit_test(help_finds_by_beginning_and_likeness),
		cmocka_unit_test(unlike_any_command_shows_all),
		cmocka_unit_test(long_answers_come_in_pieces),
		cmocka_unit_test(peer_gone_in_the_middle_frees_all),
		cmocka_unit_test(waiting_command_ends_by_any_key),
		cmocka_unit_test(waiting_command_ends_with_the_input),
		cmocka_unit_test(a_line_of_many_commands_has_no_limit),
		cmocka_unit_test(a_command_that_is_too_long_ends_its_line),
		cmocka_unit_test(too_long_a_line_closes),
		cmocka_unit_test(payload_without_end_is_bounded),
		cmocka_unit_test(the_limit_is_set),
		cmocka_unit_test(many_payload_prompts_fit),
		cmocka_unit_test(too_many_words_are_refused),
		cmocka_unit_test(zero_bytes_are_blanks),
		cmocka_unit_test(many_commands_on_a_line),
		cmocka_unit_test(a_question_of_another_process_has_an_end),
		cmocka_unit_test(others_may_ask_for_what_all_do_alone),
		cmocka_unit_test(help_follows_the_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
