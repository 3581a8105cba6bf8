/* SPDX-License-Identifier: BSD-2-Clause */
/* Conversations over descriptors: what comes and leaves, who closes, and that nothing is left behind
 * in any case. Commands are the test's own. */
#include "cli/conversation.h"

#include "base/clock.h"
#include "base/tables.h"
#include "base/test_blocks.h"
#include "cli/cli.h"
#include "cli/command.h"
#include "cli/modes.h"
#include "cli/tables.h"
#include "cli/talk_level.h"
#include "event/loop.h"
#include "stream/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TURNS = 20, LINES = 30000 };

/* ---- commands --------------------------------------------------------------------------------- */

struct lines_state {
	int at, to;
};

static int running; /* commands that have begun and not ended */
static struct cli *waits;
static bool news;

static int lines_start(struct cli_call *call, struct err *err)
{
	(void)err;
	CLI_STATE_OF(struct lines_state, call)->to = atoi(cli_arg(call, 0));
	running++;
	return 0;
}

static enum cli_step lines_next(struct cli_call *call)
{
	struct lines_state *state = CLI_STATE_OF(struct lines_state, call);

	if (state->at == state->to)
		return CLI_END;
	text_printf(call->out, "%05d\n", state->at++);
	return CLI_MORE;
}

static void lines_end(struct cli_call *call)
{
	(void)call;
	running--;
}

/* It has something to say up to its end. */
static void late_end(struct cli_call *call)
{
	cli_wake(call->cli);
}

static int late_start(struct cli_call *call, struct err *err)
{
	(void)err;
	text_str(call->out, "late\n");
	return 0;
}

static enum cli_step wait_next(struct cli_call *call)
{
	if (cli_key_pressed(call->cli))
		return CLI_END;
	waits = call->cli;
	if (!news)
		return CLI_WAIT;
	news = false;
	text_str(call->out, "news\n");
	return CLI_MORE;
}

static int busy_start(struct cli_call *call, struct err *err)
{
	(void)call;
	(void)err;
	running++;
	return 0;
}

static enum cli_step busy_next(struct cli_call *call)
{
	(void)call;
	return CLI_WAIT;
}

static int rights_start(struct cli_call *call, struct err *err)
{
	(void)err;
	text_printf(call->out, "level %d severity %d%s%s%s\n", cli_level(call->cli),
		    cli_severity(call->cli), cli_mode(call->cli, CLI_EXPERT) ? " expert" : "",
		    cli_mode(call->cli, CLI_EXPERIMENTAL) ? " experimental" : "",
		    cli_socket(call->cli) >= 0 ? " with a socket" : "");
	return 0;
}

static const struct cli_command commands[] = {
	{ .words = "lines", .level = LEVEL_USER, .start = lines_start, .next = lines_next,
	  .end = lines_end, CLI_STATE(struct lines_state), .help = "l" },
	{ .words = "late", .level = LEVEL_USER, .start = late_start, .end = late_end, .help = "e" },
	{ .words = "wait", .level = LEVEL_USER, .flags = CLI_KEY, .next = wait_next, .help = "w" },
	{ .words = "busy", .level = LEVEL_USER, .start = busy_start, .next = busy_next,
	  .end = lines_end, .help = "b" },
	{ .words = "rights", .level = LEVEL_USER, .start = rights_start, .help = "r" },
	{ .words = NULL },
};

struct tables cli_tables = TABLES("command", struct cli_command, commands, cli_mode_commands);

/* ---- the other side --------------------------------------------------------------------------- */

static int peer, ours;
static char heard[LINES * 6 + 100];
static size_t heard_len;
static bool closed; /* by the conversation */

static void turns(void)
{
	unsigned i;

	for (i = 0; i < TURNS; i++)
		loop_turn(0);
}

static void connect_both(void)
{
	int fds[2], size = 4096; /* of what waits for its reader */

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
	setsockopt(fds[1], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	peer = fds[0];
	ours = fds[1];
	heard_len = 0;
	heard[0] = 0;
	closed = false;
}

static void open_one(void)
{
	connect_both();
	assert_int_equal(conversation_open(ours, cli_new(LEVEL_ADMIN, CLI_SEVERITY_NONE)), 0);
}

static void say(const char *text)
{
	assert_int_equal(send(peer, text, strlen(text), MSG_NOSIGNAL), strlen(text));
	turns();
}

/* All that has come. */
static void listen_to_it(void)
{
	ssize_t n;

	while ((n = recv(peer, heard + heard_len, sizeof(heard) - 1 - heard_len, 0)) > 0) {
		heard_len += (size_t)n;
		turns();
	}
	heard[heard_len] = 0;
	closed = n == 0 || errno == ECONNRESET;
}

/* This has come, and nothing else; the conversation has closed, or has not. */
static void hears(const char *expected, bool is_closed)
{
	listen_to_it();
	assert_string_equal(heard, expected);
	assert_int_equal(closed, is_closed);
	heard_len = 0;
}

/* Nothing is left of it on our side. */
static void leave(void)
{
	close(peer);
	turns();
	assert_int_equal(running, 0);
	assert_false(conversations_busy());
	assert_int_equal(streams_asking, 0);
	assert_int_equal(streams_count, 0);
}

/* ---- how they end ----------------------------------------------------------------------------- */

static void a_line(void)
{
	open_one();
	say("lines 2\n");
	hears("00000\n00001\n\n", true);
	leave();
}

static void a_late_word(void)
{
	open_one();
	say("late\n");
	hears("late\n\n", true);
	leave();
}

/* ... in one whose peer has left before it was carried out. */
static void a_late_word_for_nobody(void)
{
	open_one();
	assert_int_equal(send(peer, "wait\n", 5, MSG_NOSIGNAL), 5);
	turns();
	news = true;
	cli_wake(waits);
	leave();
	news = false;
}

static void a_prompt(void)
{
	open_one();
	say("prompt\n");
	hears("\n> ", false);
	say("lines 1\n");
	hears("00000\n\n> ", false);
	say("quit\n");
	listen_to_it();
	assert_true(closed);
	leave();
}

static void no_line(void)
{
	open_one();
	say("lines 9");
	hears("", false);
	shutdown(peer, SHUT_WR);
	turns();
	hears("", true);
	leave();
}

/* The peer is gone while an answer is on its way. */
static void a_peer_that_leaves(void)
{
	open_one();
	say("lines 30000\n");
	assert_int_equal(running, 1);
	leave();
}

/* A command waits for others, and not for the peer. */
static void a_peer_that_leaves_a_busy_one(void)
{
	open_one();
	say("busy;lines 1\n");
	assert_int_equal(running, 1);
	leave();
}

/* Whoever sends no more may wait for the answer. */
static void a_peer_that_leaves_in_two_steps(void)
{
	open_one();
	say("busy\n");
	shutdown(peer, SHUT_WR);
	turns();
	assert_int_equal(running, 1);
	leave();
}

static void a_peer_that_waits(void)
{
	open_one();
	say("wait\n");
	hears("", false);
	news = true;
	cli_wake(waits);
	turns();
	hears("news\n", false);
	say("\n");
	hears("\n", true);
	leave();
}

/* The descriptor is nothing that can be watched. */
static void none_at_all(void)
{
	int fd = open("/dev/null", O_RDWR);

	assert_int_equal(conversation_open(fd, cli_new(LEVEL_ADMIN, CLI_SEVERITY_NONE)), -1);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	turns();
}

static void they_give_back(void **state)
{
	(void)state;
	test_gives_back(a_line);
	test_gives_back(a_late_word);
	test_gives_back(a_late_word_for_nobody);
	test_gives_back(a_prompt);
	test_gives_back(no_line);
	test_gives_back(a_peer_that_leaves);
	test_gives_back(a_peer_that_leaves_a_busy_one);
	test_gives_back(a_peer_that_leaves_in_two_steps);
	test_gives_back(a_peer_that_waits);
	test_gives_back(none_at_all);
}

/* It is told nothing more of a descriptor that somebody else has, too. */
static void another_one_has_the_descriptor(void **state)
{
	int other;

	(void)state;
	open_one();
	other = dup(ours);
	say("lines 1\n");
	hears("00000\n\n", false);
	say("lines 2\n");
	hears("", false);
	close(other);
	leave();
}

/* What it was given is its own, also where there is no memory for it. */
static void without_memory_it_is_closed(void **state)
{
	(void)state;
	connect_both();
	assert_int_equal(conversation_open(ours, NULL), -1);
	hears("", true);
	leave();
}

/* ---- who reads slowly ------------------------------------------------------------------------- */

static void nothing_is_lost_of_a_long_answer(void **state)
{
	int i;

	(void)state;
	open_one();
	say("lines 30000;rights\n");
	assert_int_equal(running, 1);
	listen_to_it();
	assert_true(closed);
	for (i = 0; i < LINES; i++)
		assert_int_equal(atoi(heard + i * 6), i);
	assert_string_equal(heard + LINES * 6, "\nlevel 3 severity 0 with a socket\n\n");
	leave();
}

/* Such a one holds the program's end up for some seconds, and no longer. */
static void who_stands_still_does_not_count(void **state)
{
	(void)state;
	open_one();
	assert_false(conversations_busy());
	say("lines 30000\n");
	assert_true(conversations_busy());
	clock_advance(4999);
	assert_true(conversations_busy());
	clock_advance(1);
	assert_false(conversations_busy());
	listen_to_it(); /* it goes on */
	assert_true(closed);
	leave();
	open_one();
	say("lines"); /* the line has begun */
	assert_true(conversations_busy());
	clock_advance(4000);
	say(" ");
	clock_advance(4999);
	assert_true(conversations_busy());
	clock_advance(1);
	assert_false(conversations_busy());
	leave();
}

/* ---- other processes -------------------------------------------------------------------------- */

static void open_talk(int level)
{
	connect_both();
	conversation_serve_talk(ours, level);
}

/* It counts among the streams, so that the process does not end meanwhile. */
static void a_talk(void)
{
	open_talk(LEVEL_OPERATOR);
	assert_int_equal(streams_asking, 1);
	assert_int_equal(streams_count, 1);
	say("lines 1\n");
	hears("00000\n\n", true);
	leave();
}

static void a_talk_that_is_dropped(void)
{
	open_talk(LEVEL_OPERATOR);
	open_one();
	say("lines 30000\n");
	conversations_drop();
	assert_int_equal(streams_asking, 0);
	listen_to_it();
	assert_true(closed);
	leave();
}

static void talks_give_back(void **state)
{
	(void)state;
	test_gives_back(a_talk);
	test_gives_back(a_talk_that_is_dropped);
}

static void it_has_the_rights_of_who_asks(void **state)
{
	(void)state;
	open_talk(LEVEL_OPERATOR);
	say("rights\n");
	hears("level 2 severity 0 with a socket\n\n", true);
	leave();
	open_talk(LEVEL_ADMIN | CLI_SEVERITY_STRING << TALK_SEVERITY_SHIFT | TALK_EXPERT);
	say("rights\n");
	hears("level 3 severity 2 expert with a socket\n\n", true);
	leave();
	open_talk(LEVEL_ADMIN | TALK_EXPERIMENTAL | TALK_SERVICE);
	say("rights\n");
	hears("level 3 severity 0 experimental with a socket\n\n", true);
	leave();
}

/* ---- another program -------------------------------------------------------------------------- */

static int given_fd;
static char given_text[CLI_TEXT];
static unsigned given;

static void take(int fd, const char *text, void *arg)
{
	assert_ptr_equal(arg, &given);
	given++;
	given_fd = dup(fd);
	strcpy(given_text, text);
}

/* What a process of its own does first: the descriptors stay open in the one that it comes from, and so
 * in that one's epoll. */
static void another_process(void)
{
	conversations_drop();
	loop_free();
	assert_int_equal(loop_init(16), 0);
}

/* They go on there, with what they have set; but those in the middle of something do not. */
static void another_program_goes_on(void **state)
{
	(void)state;
	open_one();
	say("prompt\n");
	hears("\n> ", false);
	given = 0;
	conversations_give(take, &given);
	assert_int_equal(given, 1);
	another_process();
	conversation_resume(given_fd, given_text);
	say("rights\n");
	hears("level 3 severity 0 with a socket\n\n> ", false);
	say("lines");
	given = 0;
	conversations_give(take, &given);
	assert_int_equal(given, 0);
	leave();
}

static void what_is_no_text_is_closed(void **state)
{
	(void)state;
	connect_both();
	conversation_resume(ours, "nonsense");
	hears("", true);
	leave();
}

static int begin(void **state)
{
	(void)state;
	clock_freeze(1000000);
	return loop_init(16);
}

static int end(void **state)
{
	(void)state;
	loop_free();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(they_give_back),
		cmocka_unit_test(another_one_has_the_descriptor),
		cmocka_unit_test(without_memory_it_is_closed),
		cmocka_unit_test(nothing_is_lost_of_a_long_answer),
		cmocka_unit_test(who_stands_still_does_not_count),
		cmocka_unit_test(talks_give_back),
		cmocka_unit_test(it_has_the_rights_of_who_asks),
		cmocka_unit_test(another_program_goes_on),
		cmocka_unit_test(what_is_no_text_is_closed),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
