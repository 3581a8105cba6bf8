/* SPDX-License-Identifier: BSD-2-Clause */
/* The ordered log: who hears what, in which order; channels are an array of sent frames here. */
#include "cli/cli.h"
#include "process/changes.h"

#include "base/err.h"
#include "base/str.h"
#include "cli/talk_level.h"
#include "event/change.h"
#include "event/talk.h"
#include "net/listener.h"
#include "process/channel.h"
#include "process/messages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* -- a world ---------------------------------------------------------------------------------- */

struct sent {
	struct channel *to;
	uint32_t kind, id;
	char bytes[200];
	size_t len;
	int fd;
};
static struct sent sent[32];
static unsigned sent_count;
static char applied[200]; /* what this process has done, one word behind the other */
static bool applied_first;

#define CHANNEL(n) ((struct channel *)(uintptr_t)(n))

int channel_send(struct channel *c, uint32_t kind, uint32_t id, const void *bytes, size_t len,
		 int fd)
{
	struct sent *s = &sent[sent_count++];

	*s = (struct sent){ .to = c, .kind = kind, .id = id, .len = len,
			    .fd = fd < 0 ? -1 : dup(fd) };
	memcpy(s->bytes, bytes, len);
	return 0;
}

static size_t waits[8]; /* for the peer of each */

size_t channel_backlog(const struct channel *c)
{
	return waits[(uintptr_t)c];
}

static unsigned waiting_fds[8];

unsigned channel_waiting_fds(const struct channel *c)
{
	return waiting_fds[(uintptr_t)c];
}

static int word_apply(const void *bytes, size_t len, struct text *said, struct err *err)
{
	if (len >= 3 && !memcmp(bytes, "bad", 3))
		return err_set(err, "it is bad");
	strncat(applied, bytes, len);
	strcat(applied, " ");
	applied_first = change_first;
	text_printf(said, "done: %.*s", (int)len, (const char *)bytes);
	return 0;
}

static const struct change_kind word = { .name = "word", .apply = word_apply };
static const struct change_kind order = { .name = "order", .apply = word_apply, .by_parent = true };
static const struct change_kind *const kinds[] = { &word, &order, NULL };

static char heard[200];

static void note(void *arg, const char *error, const char *said, size_t len)
{
	snprintf(heard, sizeof(heard), "%s|%s|%.*s", (const char *)arg, error ? error : "-",
		 (int)len, said);
}

static int begin(void **state)
{
	(void)state;
	change_kinds = kinds;
	sent_count = 0;
	applied[0] = heard[0] = 0;
	changes_forget_workers();
	changes_old = false;
	memset(waits, 0, sizeof(waits));
	memset(waiting_fds, 0, sizeof(waiting_fds));
	return 0;
}

static struct frame frame_of(uint32_t kind, uint32_t id, const char *bytes, size_t len)
{
	return (struct frame){ .kind = kind, .id = id, .bytes = bytes, .len = len, .fd = -1 };
}

/* -- claims ----------------------------------------------------------------------------------- */

static void alone_it_is_done_between_two_events(void **state)
{
	(void)state;
	change_submit(&word, "a", 1, note, "me");
	assert_string_equal(applied, "");
	changes_carry_out();
	assert_string_equal(heard, "me|-|done: a");
	change_submit(&word, "bad", 3, note, "me");
	changes_carry_out();
	assert_string_equal(heard, "me|it is bad|");
	assert_string_equal(applied, "a ");
	assert_false(change_is_shared());
}

/* In the order in which they were submitted; what one of them submits comes behind all. */
static void change_more(void *arg, const char *error, const char *said, size_t len)
{
	note(arg, error, said, len);
	change_submit(&word, "c", 1, NULL, NULL);
}

static void alone_the_order_is_kept(void **state)
{
	unsigned forgotten;

	(void)state;
	change_submit(&word, "a", 1, change_more, "me");
	forgotten = change_submit(&word, "b", 1, note, "nobody");
	change_forget(forgotten);
	changes_carry_out();
	assert_string_equal(applied, "a b c ");
	assert_string_equal(heard, "me|-|done: a");
}

static void everybody_hears_before_the_answer(void **state)
{
	struct frame f = frame_of(MSG_SUBMIT, 7, "word\0x", 6);

	(void)state;
	changes_parent();
	changes_add(CHANNEL(1), 1, false);
	changes_add(CHANNEL(2), 2, false);
	assert_true(changes_from_worker(CHANNEL(2), &f));
	assert_string_equal(applied, "x ");
	assert_true(applied_first);
	assert_int_equal(sent_count, 3);
	assert_true(sent[0].kind == MSG_CHANGE && sent[0].to == CHANNEL(1));
	assert_true(sent[1].kind == MSG_CHANGE && sent[1].to == CHANNEL(2));
	assert_int_equal(sent[0].id, sent[1].id);
	assert_memory_equal(sent[1].bytes, "word\0x", 6);
	assert_true(sent[2].kind == MSG_SAID && sent[2].to == CHANNEL(2) && sent[2].id == 7);
	assert_memory_equal(sent[2].bytes, "\0done: x", 8);
}

static void nobody_hears_of_what_is_refused(void **state)
{
	struct frame bad = frame_of(MSG_SUBMIT, 8, "word\0bad", 8);
	struct frame strange = frame_of(MSG_SUBMIT, 9, "what\0x", 6);
	struct frame cut = frame_of(MSG_SUBMIT, 10, "word", 4);
	struct frame not_its = frame_of(MSG_SUBMIT, 11, "order\0x", 7);

	(void)state;
	changes_parent();
	changes_add(CHANNEL(1), 1, false);
	changes_add(CHANNEL(2), 2, false);
	changes_from_worker(CHANNEL(1), &bad);
	changes_from_worker(CHANNEL(1), &strange);
	changes_from_worker(CHANNEL(1), &cut);
	changes_from_worker(CHANNEL(1), &not_its);
	assert_int_equal(sent_count, 4);
	for (unsigned i = 0; i < 4; i++) {
		assert_true(sent[i].kind == MSG_SAID && sent[i].to == CHANNEL(1));
		assert_int_equal(sent[i].bytes[0], 1);
	}
	assert_memory_equal(sent[0].bytes + 1, "it is bad", 9);
	assert_string_equal(applied, "");
}

static void the_dead_are_not_told(void **state)
{
	(void)state;
	changes_parent();
	changes_add(CHANNEL(1), 1, false);
	changes_add(CHANNEL(2), 2, false);
	changes_remove(CHANNEL(1));
	change_submit(&word, "y", 1, NULL, NULL);
	assert_int_equal(sent_count, 1);
	assert_ptr_equal(sent[0].to, CHANNEL(2));
}

static struct channel *overdue[4];
static unsigned overdue_count;

static void note_overdue(struct channel *c)
{
	overdue[overdue_count++] = c;
}

static void who_takes_nothing_is_told_no_more(void **state)
{
	struct frame f = frame_of(MSG_SUBMIT, 7, "word\0x", 6);

	(void)state;
	changes_parent();
	changes_overdue = note_overdue;
	changes_add(CHANNEL(1), 1, false);
	changes_add(CHANNEL(2), 2, false);
	waits[2] = CHANGES_BACKLOG;
	changes_from_worker(CHANNEL(1), &f);
	assert_int_equal(sent_count, 3);
	waits[2]++;
	changes_from_worker(CHANNEL(1), &f);
	changes_from_worker(CHANNEL(1), &f);
	assert_int_equal(sent_count, 7); /* one and the answer, each */
	assert_true(overdue_count == 1 && overdue[0] == CHANNEL(2));
	changes_overdue = NULL;
}

static void who_asks_and_does_not_read_is_ended(void **state)
{
	struct frame f = frame_of(MSG_SUBMIT, 7, "what\0x", 6);

	(void)state;
	changes_parent();
	changes_overdue = note_overdue;
	overdue_count = 0;
	changes_add(CHANNEL(1), 1, false);
	waits[1] = CHANGES_BACKLOG + CHANGES_FRAME_MOST;
	assert_true(changes_from_worker(CHANNEL(1), &f));
	assert_int_equal(sent_count, 1);
	waits[1]++;
	assert_true(changes_from_worker(CHANNEL(1), &f));
	assert_true(changes_from_worker(CHANNEL(1), &f));
	assert_int_equal(sent_count, 1);
	assert_true(overdue_count == 1 && overdue[0] == CHANNEL(1));
	changes_overdue = NULL;
}

static int made_elsewhere(const char *frame, size_t len, struct text *said, struct err *err)
{
	if (len == 6 && !memcmp(frame, "word\0x", 6)) {
		text_str(said, "there");
		return 0;
	}
	return err_set(err, "not there");
}

static void another_makes_it_in_our_place(void **state)
{
	struct frame good = frame_of(MSG_SUBMIT, 7, "word\0x", 6);
	struct frame bad = frame_of(MSG_SUBMIT, 8, "word\0y", 6);

	(void)state;
	changes_parent();
	changes_delegate = made_elsewhere;
	changes_add(CHANNEL(1), 1, false);
	changes_from_worker(CHANNEL(1), &good);
	changes_from_worker(CHANNEL(1), &bad);
	changes_delegate = NULL;
	assert_string_equal(applied, "");
	assert_int_equal(sent_count, 3);
	assert_true(sent[0].kind == MSG_CHANGE && sent[1].kind == MSG_SAID);
	assert_memory_equal(sent[1].bytes, "\0there", 6);
	assert_memory_equal(sent[2].bytes, "\1not there", 10);
}

static void a_worker_asks_and_follows(void **state)
{
	struct frame apply = frame_of(MSG_CHANGE, 1, "word\0z", 6), done;
	unsigned ticket;

	(void)state;
	changes_worker(CHANNEL(9));
	ticket = change_submit(&word, "z", 1, note, "w");
	assert_true(change_is_shared());
	assert_string_equal(applied, "");
	assert_true(sent[0].kind == MSG_SUBMIT && sent[0].id == ticket);
	assert_true(changes_from_parent(&apply));
	assert_string_equal(applied, "z ");
	assert_false(applied_first);
	assert_true(change_first);
	done = frame_of(MSG_SAID, ticket, "\0so be it", 9);
	assert_true(changes_from_parent(&done));
	assert_string_equal(heard, "w|-|so be it");
	heard[0] = 0;
	assert_true(changes_from_parent(&done));
	assert_string_equal(heard, "");
}

static void who_has_gone_hears_nothing(void **state)
{
	struct frame done;
	unsigned ticket;

	(void)state;
	changes_worker(CHANNEL(9));
	ticket = change_submit(&word, "z", 1, note, "w");
	change_forget(ticket);
	done = frame_of(MSG_SAID, ticket, "\0", 1);
	changes_from_parent(&done);
	assert_string_equal(heard, "");
}

/* Also before it is told to finish: the parent's memory is that of a new generation already. */
static void one_that_is_to_be_replaced_is_told(void **state)
{
	struct frame apply = frame_of(MSG_CHANGE, 1, "word\0bad", 8), old;

	(void)state;
	changes_parent();
	changes_add(CHANNEL(1), 1, true);
	changes_add(CHANNEL(2), 2, false);
	assert_int_equal(sent_count, 1);
	assert_true(sent[0].kind == MSG_OLD && sent[0].to == CHANNEL(1) && sent[0].bytes[0] == 1);
	changes_worker(CHANNEL(9));
	old = frame_of(MSG_OLD, 0, sent[0].bytes, sent[0].len);
	assert_true(changes_from_parent(&old));
	assert_true(changes_from_parent(&apply)); /* and goes on */
	changes_set_old(CHANNEL(1), false);
	old = frame_of(MSG_OLD, 0, sent[1].bytes, sent[1].len);
	assert_true(changes_from_parent(&old));
	assert_false(changes_old);
}

static void an_old_worker_goes_on_without(void **state)
{
	struct frame apply = frame_of(MSG_CHANGE, 1, "word\0bad", 8);

	(void)state;
	changes_worker(CHANNEL(9));
	changes_old = true;
	assert_true(changes_from_parent(&apply));
	assert_string_equal(applied, "");
}

static void without_a_parent_there_is_an_error(void **state)
{
	(void)state;
	changes_worker(CHANNEL(9));
	change_submit(&word, "z", 1, note, "first");
	changes_orphaned();
	assert_string_equal(heard, "first|the parent process has gone|");
	change_submit(&word, "z", 1, note, "second");
	assert_string_equal(heard, "second|the parent process has gone|");
}

/* -- talks ------------------------------------------------------------------------------------ */

static int talked, served, served_level;

static void opened(void *arg, int fd, const char *error)
{
	(void)arg;
	talked = fd;
	snprintf(heard, sizeof(heard), "%s", error ? error : "-");
}

static void serve(int fd, int level)
{
	served = fd;
	served_level = level;
}

static void a_talk_has_two_ends(void **state)
{
	struct frame f;
	char buf[8];

	(void)state;
	changes_worker(CHANNEL(9));
	talk_open(2, 3, opened, NULL);
	assert_int_equal(sent[0].kind, MSG_TALK);
	f = frame_of(MSG_TALK, sent[0].id, sent[0].bytes, sent[0].len);
	changes_parent();
	changes_add(CHANNEL(1), 1, false);
	changes_add(CHANNEL(2), 2, false);
	assert_true(changes_from_worker(CHANNEL(1), &f));
	assert_true(sent[1].kind == MSG_TALK && sent[1].to == CHANNEL(2) && sent[1].fd >= 0);
	assert_true(sent[2].kind == MSG_TALK_SAID && sent[2].to == CHANNEL(1) && sent[2].fd >= 0);
	talk_serve = serve;
	f = frame_of(MSG_TALK, 0, sent[1].bytes, sent[1].len);
	f.fd = sent[1].fd;
	assert_true(changes_from_parent(&f));
	assert_int_equal(f.fd, -1);
	assert_int_equal(served_level, LEVEL_ADMIN);
	f = frame_of(MSG_TALK_SAID, sent[2].id, "", 0);
	f.fd = sent[2].fd;
	assert_true(changes_from_parent(&f));
	assert_int_equal(f.fd, -1);
	assert_string_equal(heard, "-");
	assert_int_equal(send(talked, "hello", 5, 0), 5);
	assert_int_equal(recv(served, buf, sizeof(buf), 0), 5);
	close(talked);
	close(served);
}

static void a_new_parent_hears_it_again(void **state)
{
	struct frame f;

	(void)state;
	changes_worker(CHANNEL(3));
	change_submit(&word, "x", 1, note, "me");
	assert_int_not_equal(talk_open(2, 3, opened, NULL), 0);
	talk_forget(talk_open(1, 3, opened, NULL));
	sent_count = 0;
	changes_moved(CHANNEL(4));
	assert_int_equal(sent_count, 2); /* not for who has gone */
	assert_true(sent[0].to == CHANNEL(4) && sent[0].kind == MSG_SUBMIT);
	assert_memory_equal(sent[0].bytes, "word\0x", 6);
	assert_true(sent[1].to == CHANNEL(4) && sent[1].kind == MSG_TALK);
	assert_string_equal(heard, "");
	f = frame_of(MSG_SAID, sent[0].id, "\0y", 2);
	changes_from_parent(&f);
	assert_string_equal(heard, "me|-|y");
	sent_count = 0;
	changes_moved(CHANNEL(5));
	assert_int_equal(sent_count, 1); /* what was answered is over */
	changes_orphaned();
	assert_string_equal(heard, "the parent process has gone");
}

static void a_talk_with_nobody_is_refused(void **state)
{
	(void)state;
	changes_parent();
	talk_open(5, 3, opened, NULL);
	assert_int_equal(talked, -1);
	assert_string_equal(heard, "there is no such process");
}

/* A worker asks the parent for the row, with these rights. */
static void ask_parent(unsigned row, int level)
{
	struct frame f;

	sent_count = 0;
	changes_worker(CHANNEL(9));
	talk_open(row, level, opened, NULL);
	f = frame_of(MSG_TALK, sent[0].id, sent[0].bytes, sent[0].len);
	changes_parent();
	changes_from_worker(CHANNEL(1), &f);
}

/* One that was taken over would end the parent by a command for experts, or lead it. */
static void a_worker_has_no_power_over_the_parent(void **state)
{
	struct frame f;

	(void)state;
	changes_parent();
	changes_add(CHANNEL(1), 1, false);
	changes_add(CHANNEL(2), 2, false);
	talk_serve = serve;
	ask_parent(0, LEVEL_ADMIN | TALK_EXPERT | TALK_EXPERIMENTAL);
	assert_true(sent[1].kind == MSG_TALK_SAID && sent[1].fd >= 0);
	assert_int_equal(served_level, LEVEL_OPERATOR);
	close(served);
	close(sent[1].fd);
	ask_parent(0, LEVEL_USER);
	assert_int_equal(served_level, LEVEL_USER);
	close(served);
	close(sent[1].fd);
	ask_parent(2, 200 | TALK_EXPERT | TALK_SERVICE);
	f = frame_of(MSG_TALK, 0, sent[1].bytes, sent[1].len);
	f.fd = sent[1].fd;
	changes_from_parent(&f);
	assert_int_equal(served_level, LEVEL_ADMIN);
	close(served);
	close(sent[2].fd);
}

/* Nobody takes the talks of one that was stopped: their descriptors are the parent's. */
static void talks_for_the_deaf_are_few(void **state)
{
	(void)state;
	changes_parent();
	changes_add(CHANNEL(1), 1, false);
	changes_add(CHANNEL(2), 2, false);
	waiting_fds[2] = 1000;
	talk_open(2, 3, opened, NULL);
	assert_string_equal(heard, "it does not listen");
	assert_int_equal(sent_count, 0);
	waiting_fds[2] = 0;
	waiting_fds[1] = 1000;
	ask_parent(2, 3);
	assert_int_equal(sent_count, 2);
	assert_true(sent[1].kind == MSG_TALK_SAID && sent[1].fd < 0);
}

int main(void)
{
#define CLAIM(f) cmocka_unit_test_setup(f, begin)
	const struct CMUnitTest tests[] = {
		CLAIM(alone_it_is_done_between_two_events),
		CLAIM(alone_the_order_is_kept),
		CLAIM(everybody_hears_before_the_answer),
		CLAIM(nobody_hears_of_what_is_refused),
		CLAIM(the_dead_are_not_told),
		CLAIM(who_takes_nothing_is_told_no_more),
		CLAIM(who_asks_and_does_not_read_is_ended),
		CLAIM(another_makes_it_in_our_place),
		CLAIM(a_worker_asks_and_follows),
		CLAIM(who_has_gone_hears_nothing),
		CLAIM(one_that_is_to_be_replaced_is_told),
		CLAIM(an_old_worker_goes_on_without),
		CLAIM(without_a_parent_there_is_an_error),
		CLAIM(a_talk_has_two_ends),
		CLAIM(a_new_parent_hears_it_again),
		CLAIM(a_talk_with_nobody_is_refused),
		CLAIM(a_worker_has_no_power_over_the_parent),
		CLAIM(talks_for_the_deaf_are_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
