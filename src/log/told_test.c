/* SPDX-License-Identifier: BSD-2-Clause */
/* Who hears a line: targets by level, profile and sample, standard error, whoever has started the
 * process; what is cut, what is counted, and what is said twice. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/err.h"
#include "event/change.h"
#include "event/timer.h"
#include "log/log_conf.h"
#include "log/log_data.h"
#include "log/profile.h"
#include "log/ring.h"
#include "log/test_world.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int saved, reads;
static char heard[4096];

/* From now on standard error is a pipe, until captured(). */
static void capture(void)
{
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(fcntl(fds[0], F_SETFL, O_NONBLOCK), 0);
	saved = dup(STDERR_FILENO);
	assert_int_equal(dup2(fds[1], STDERR_FILENO), STDERR_FILENO);
	close(fds[1]);
	reads = fds[0];
}

/* What was written there. */
static const char *captured(void)
{
	ssize_t n;

	assert_int_equal(dup2(saved, STDERR_FILENO), STDERR_FILENO);
	close(saved);
	n = read(reads, heard, sizeof(heard) - 1);
	close(reads);
	heard[n > 0 ? n : 0] = 0;
	return heard;
}

/* "[NOTICE]  (pid) : text\n" */
static void captured_is(const char *mark, const char *text)
{
	char wanted[4096];

	snprintf(wanted, sizeof(wanted), "%s (%u) : %s\n", mark, (unsigned)getpid(), text);
	assert_string_equal(captured(), wanted);
}

/* -- standard error -------------------------------------------------------------------------- */

static void marks_say_how_bad_it_is(void **state)
{
	static const char *const marks[] = {
		[LOG_L_EMERG] = "[ALERT]   ", [LOG_L_ALERT] = "[ALERT]   ",
		[LOG_L_CRIT] = "[ALERT]   ", [LOG_L_ERR] = "[ALERT]   ",
		[LOG_L_WARNING] = "[WARNING] ", [LOG_L_NOTICE] = "[NOTICE]  ",
		[LOG_L_INFO] = "[NOTICE]  ", [LOG_L_DEBUG] = "[NOTICE]  ",
	};

	(void)state;
	for (unsigned level = LOG_L_EMERG; level <= LOG_L_DEBUG; level++) {
		capture();
		log_stderr(level, "no %u", 7);
		captured_is(marks[level], "no 7");
		capture();
		log_process(level, "no %u", 7);
		captured_is(marks[level], "no 7");
	}
	capture();
	log_stderr_own(LOG_L_INFO, "of a script, not this", 11);
	captured_is("[info]", "of a script");
}

static void quiet_is_quiet(void **state)
{
	(void)state;
	capture();
	log_to_stderr = false;
	log_stderr(LOG_L_ERR, "x");
	log_process(LOG_L_ERR, "x");
	log_stderr_own(LOG_L_ERR, "x", 1);
	log_to_stderr = true;
	assert_string_equal(captured(), "");
}

static void long_sentences_are_cut(void **state)
{
	static char big[3000], wanted[3000];

	(void)state;
	memset(big, 'y', sizeof(big) - 1);
	snprintf(wanted, sizeof(wanted), "%.1023s", big);
	capture();
	log_process(LOG_L_NOTICE, "%s", big);
	captured_is("[NOTICE]  ", wanted);
	snprintf(wanted, sizeof(wanted), "%.1024s", big);
	capture();
	log_stderr_own(LOG_L_DEBUG, big, strlen(big));
	captured_is("[debug]", wanted);
}

static enum log_level last_level;
static char last[100];

static void hear(enum log_level level, const char *msg, size_t len)
{
	last_level = level;
	snprintf(last, sizeof(last), "%.*s", (int)len, msg);
}

/* Also when nothing is to be seen. */
static void whoever_started_the_process_hears(void **state)
{
	(void)state;
	log_heard = hear;
	log_to_stderr = false;
	log_stderr(LOG_L_ALERT, "to %s", "the terminal");
	assert_string_equal(last, "to the terminal");
	assert_int_equal(last_level, LOG_L_ALERT);
	log_process(LOG_L_NOTICE, "to all");
	assert_string_equal(last, "to all");
	assert_int_equal(last_level, LOG_L_NOTICE);
	log_heard = NULL;
	log_to_stderr = true;
}

/* A change that another process has made is told by that one. */
static void changes_of_others_are_silent(void **state)
{
	(void)state;
	start("global\n log 127.0.0.1:%u format short local0\n");
	log_heard = hear;
	strcpy(last, "nothing");
	change_first = false;
	capture();
	log_process(LOG_L_ALERT, "x");
	log_stderr(LOG_L_ALERT, "x");
	assert_false(log_printf(log_global(), LOG_L_ALERT, "x"));
	assert_string_equal(captured(), "");
	change_first = true;
	log_heard = NULL;
	assert_string_equal(last, "nothing");
	expect_none();
	stop();
}

/* log_stderr is for the terminal alone, log_process for the logs, too. */
static void logs_hear_of_the_process(void **state)
{
	(void)state;
	start("global\n log 127.0.0.1:%u format short local0\n");
	capture();
	log_stderr(LOG_L_ERR, "terminal");
	log_process(LOG_L_ERR, "logs and %s", "terminal");
	captured();
	assert_non_null(strstr(heard, ": terminal\n[ALERT]"));
	assert_non_null(strstr(heard, ": logs and terminal\n"));
	expect("^<3>logs and terminal\n$");
	expect_none();
	stop();
}

/* -- what is there already is not said once more --------------------------------------------- */

static void lines_on_the_terminal_are_seen_once(void **state)
{
	(void)state;
	capture();
	start("global\n log stderr format short local0 notice\n log 127.0.0.1:%u format short local0\n");
	log_process(LOG_L_ERR, "once");
	assert_true(log_printf(log_global(), LOG_L_ERR, "twice %d", 2));
	assert_false(log_printf(log_global(), LOG_L_DEBUG, "not there"));
	log_process(LOG_L_DEBUG, "below");
	stop();
	captured();
	assert_int_equal(strncmp(heard, "<3>once\n<3>twice 2\n[NOTICE]   (", 31), 0);
	assert_non_null(strstr(heard, ") : below\n"));
	expect("^<3>once\n$");
	expect("^<3>twice 2\n$");
	expect("^<7>not there\n$");
	expect("^<7>below\n$");
	expect_none();
}

/* Of proxies with "log global" the lines of the global section count. */
static void global_lines_are_seen_through(void **state)
{
	struct log_target through = { .kind = LOG_TO_GLOBAL }, *targets[] = { &through };
	struct log_conf conf = { .tag = "px", .count = 1, .targets = targets };

	(void)state;
	capture();
	start("global\n log stderr format short local0\n log 127.0.0.1:%u format local local0\n");
	assert_true(log_enabled(&conf));
	assert_true(log_printf(&conf, LOG_L_ERR, "seen"));
	stop();
	captured();
	assert_string_equal(heard, "<3>seen\n");
	expect(" px\\[[0-9]+\\]: seen\n$");
	assert_false(log_printf(&conf, LOG_L_ERR, "nothing runs"));
	start("global\n");
	assert_false(log_enabled(&conf));
	assert_false(log_printf(&conf, LOG_L_ERR, "nobody"));
	stop();
}

/* Standard error of a service is the journal, as is /dev/log; $JOURNAL_STREAM says so. */
static void the_journal_is_standard_error(void **state)
{
	char stream[64];
	struct stat st;

	(void)state;
	start("global\n log 127.0.0.1:%u format short local0\n");
	list_first(&log_running->targets, struct log_target, node)->journal = true;
	assert_int_equal(fstat(STDERR_FILENO, &st), 0);
	assert_false(log_printf(log_global(), LOG_L_ERR, "a"));
	snprintf(stream, sizeof(stream), "%llu:%llu", (unsigned long long)st.st_dev,
		 (unsigned long long)st.st_ino);
	setenv("JOURNAL_STREAM", stream, 1);
	assert_true(log_printf(log_global(), LOG_L_ERR, "b"));
	snprintf(stream, sizeof(stream), "%llu:%llu", (unsigned long long)st.st_dev + 1,
		 (unsigned long long)st.st_ino);
	setenv("JOURNAL_STREAM", stream, 1);
	assert_false(log_printf(log_global(), LOG_L_ERR, "c"));
	snprintf(stream, sizeof(stream), "%llu:%llu", (unsigned long long)st.st_dev,
		 (unsigned long long)st.st_ino + 1);
	setenv("JOURNAL_STREAM", stream, 1);
	assert_false(log_printf(log_global(), LOG_L_ERR, "d"));
	setenv("JOURNAL_STREAM", "12", 1);
	assert_false(log_printf(log_global(), LOG_L_ERR, "e"));
	unsetenv("JOURNAL_STREAM");
	stop();
	for (char c = 'a'; c <= 'e'; c++)
		expect((const char[]){ '^', '<', '3', '>', c, '\n', '$', 0 });
}

/* -- who stays on the terminal --------------------------------------------------------------- */

static struct log_target *first_target(void)
{
	return list_first(&log_running->targets, struct log_target, node);
}

static void the_terminal_is_left(void **state)
{
	int fd = open("/dev/null", O_WRONLY);
	char text[100];

	(void)state;
	assert_null(log_on_terminal());
	assert_true(fd > STDERR_FILENO);
	snprintf(text, sizeof(text), "global\n log 127.0.0.1:%%u local0\n log fd@%d local0\n", fd);
	start(text);
	assert_null(log_on_terminal());
	stop();
	close(fd);
	capture();
	start("global\n log stderr format short local0\n log 127.0.0.1:%u local0\n");
	assert_string_equal(log_on_terminal(), "stderr");
	assert_true(first_target()->own_fd);
	assert_int_not_equal(first_target()->fd, STDERR_FILENO);
	log_leave_terminal();
	assert_false(first_target()->own_fd);
	assert_int_equal(first_target()->fd, STDERR_FILENO);
	captured();
	stop();
	log_leave_terminal(); /* nothing runs */
	log_leave_root();
}

/* -- profiles -------------------------------------------------------------------------------- */

static const struct log_form *form_said;
static unsigned composed;
static struct log_message composed_message;

static const struct log_message *compose(struct log_writer *writer, const struct log_form *form)
{
	(void)writer;
	form_said = form;
	composed++;
	return composed_message.msg.ptr ? &composed_message : NULL;
}

static struct log_profile_use *use_of(struct log_profile *profile)
{
	static struct log_profile_use use;

	use.profile = profile;
	return &use;
}

static void writes(struct log_writer *writer, bool wanted, unsigned times)
{
	composed = 0;
	assert_int_equal(log_write(log_global(), LOG_L_INFO, writer), wanted);
	assert_int_equal(composed, times);
}

/* Each target gets the form of its profile, or of the writer's, under the profile's tag. */
static void writers_follow_profiles(void **state)
{
	struct log_profile own = { .tag = "own", .form[LOG_STEP_CLOSE].set = true };
	struct log_profile other = { .any.set = true };
	struct log_writer writer = { .step = LOG_STEP_CLOSE, .compose = compose };

	(void)state;
	start("global\n log-tag usual\n log 127.0.0.1:%u local0\n");
	composed_message.msg = span_of("line");
	writes(&writer, true, 1);
	assert_null(form_said);
	expect(" usual\\[[0-9]+\\]: line\n$");
	first_target()->profile = use_of(&own);
	writes(&writer, true, 1);
	assert_ptr_equal(form_said, &own.form[LOG_STEP_CLOSE]);
	expect(" own\\[[0-9]+\\]: line\n$");
	writer.profile = &other;
	writes(&writer, true, 1);
	assert_ptr_equal(form_said, &other.any);
	expect(" usual\\[[0-9]+\\]: line\n$");
	composed_message.msg.ptr = NULL;
	writes(&writer, true, 1); /* it has nothing to say: nothing is dropped */
	expect_none();
	stop();
	assert_false(log_write(NULL, LOG_L_INFO, &writer));
}

/* Where all profiles drop the line nobody wants it. */
static void profiles_drop(void **state)
{
	struct log_profile drops = { .any = { .set = true, .drop = true } };
	struct log_writer writer = { .step = LOG_STEP_CLOSE, .compose = compose };

	(void)state;
	composed_message.msg = span_of("line");
	start("global\n log 127.0.0.1:%u format short local0\n log 127.0.0.1:%u format raw local0\n");
	first_target()->profile = use_of(&drops);
	writes(&writer, true, 1);
	expect("^line\n$");
	writer.profile = &drops;
	writes(&writer, false, 0);
	expect_none();
	stop();
}

/* Wanted, but not at this level, and not in this sample: it is not even composed. */
static void levels_and_samples_of_writers(void **state)
{
	struct log_writer writer = { .step = LOG_STEP_CLOSE, .compose = compose };

	(void)state;
	composed_message.msg = span_of("line");
	start("global\n log 127.0.0.1:%u format short local0 notice\n"
	      " log 127.0.0.1:%u format raw sample 2:2 local0 info\n");
	writes(&writer, true, 0);
	writes(&writer, true, 1);
	expect("^line\n$");
	expect_none();
	assert_int_equal(log_stats.sent, 1);
	stop();
}

/* -- what fits ------------------------------------------------------------------------------- */

/* Of a target that is a stream the line feed counts. */
static void room_on_descriptors(void **state)
{
	char big[200];

	(void)state;
	memset(big, 'z', sizeof(big));
	capture();
	start("global\n log stderr len 80 format short local0\n");
	log_send(log_global(), LOG_L_INFO, big, sizeof(big));
	stop();
	captured();
	assert_int_equal(strlen(heard), 80);
	assert_int_equal(heard[79], '\n');
}

/* A header may take all the room, and no more. */
static void long_headers_are_cut(void **state)
{
	char tag[200], text[400], line[100];

	(void)state;
	memset(tag, 't', sizeof(tag) - 1);
	tag[sizeof(tag) - 1] = 0;
	snprintf(text, sizeof(text), "global\n log-tag %s\n log 127.0.0.1:%%u len 80 local0\n"
		 " log 127.0.0.1:%%u len 80 format rfc5424 local0\n", tag);
	start(text);
	say(LOG_L_INFO, "nothing of this");
	for (int i = 0; i < 2; i++) {
		assert_int_equal(recv(udp, line, sizeof(line), 0), 81);
		assert_int_equal(line[79], 't');
		assert_int_equal(line[80], '\n');
	}
	stop();
}

/* An object that is too long stays one: it ends as it began. */
static void objects_stay_whole(void **state)
{
	static const char object[] = "{\"first\":\"0123456789\",\"second\":\"01234567890123456789"
				     "0123456789012345678901234567890123456789\"}";
	struct log_message message = { .msg = { object, sizeof(object) - 1 },
				       .encoding = ENCODE_JSON };
	char line[200];

	(void)state;
	start("global\n log 127.0.0.1:%u len 80 format raw local0\n");
	log_send_message(log_global(), LOG_L_INFO, &message);
	assert_int_equal(recv(udp, line, sizeof(line), 0), 81);
	assert_memory_equal(line, object, 78);
	assert_memory_equal(line + 78, "\"}\n", 3);
	message.msg.len = 80;
	message.encoding = ENCODE_NONE;
	log_send_message(log_global(), LOG_L_INFO, &message);
	assert_int_equal(recv(udp, line, sizeof(line), 0), 81);
	assert_memory_equal(line, object, 80);
	assert_int_equal(line[80], '\n');
	stop();
}

/* Structured data need more room than they have bytes: a blank and the message follow. */
static void structured_data_at_the_edge(void **state)
{
	static const char header[] = "<134>1 2026-11-21T01:49:47.897543+00:00 h t 1 - ";
	char sd[200] = "[a x=\"", line[300];
	size_t pid = 0, room;

	(void)state;
	start("global\n log-tag t\n log-send-hostname h\n log 127.0.0.1:%u len 100 format rfc5424 local0\n");
	for (unsigned n = (unsigned)getpid(); n; n /= 10)
		pid++;
	room = 100 - (sizeof(header) - 1 - 1 + pid);
	memset(sd + 6, 'x', sizeof(sd) - 7);
	strcpy(sd + room - 1 - 2, "\"]");
	assert_int_equal(strlen(sd), room - 1);
	say_sd(sd, "m");
	assert_int_equal(recv(udp, line, sizeof(line), 0), 101);
	assert_memory_equal(line + 100 - room, sd, room - 1);
	assert_memory_equal(line + 99, " \n", 2);
	strcpy(sd + room - 2, "\"]");
	say_sd(sd, "m");
	assert_int_equal(recv(udp, line, sizeof(line), 0), 100 - room + 4);
	assert_memory_equal(line + 100 - room, "- m\n", 4);
	stop();
}

static void sinks_take_what_is_written(void **state)
{
	struct location loc = { .file = "sinks", .line = 5 };
	struct err err = { "" };
	struct log_target *t;
	static char big[5000];
	uint64_t at = 0;
	char buf[5000];

	(void)state;
	memset(big, 'b', sizeof(big));
	assert_int_equal(load("global\n log-tag sink\nring r\n format short\n size 20000\n"), 0);
	t = log_sink(cfg, &loc, "r", &err);
	log_sink_write(t, span_of("too early"));
	assert_int_equal(log_run_module.prepare(cfg, NULL, &err), 0);
	log_sink_write(t, span_of("hello"));
	log_sink_write(t, (struct span){ big, sizeof(big) });
	assert_int_equal(ring_read(t->ring, &at, buf, sizeof(buf)), 8);
	assert_memory_equal(buf, "<0>hello", 8);
	assert_int_equal(ring_read(t->ring, &at, buf, sizeof(buf)), 4096);
	assert_int_equal(t->sent, 2);
	stop();
}

/* -- processes, generations ------------------------------------------------------------------ */

/* A process that was forked says its own number. */
static void forked_processes_have_their_own_number(void **state)
{
	char wanted[64];
	int status;
	pid_t child;

	(void)state;
	start("global\n log 127.0.0.1:%u local0\n");
	child = fork();
	if (!child) {
		say(LOG_L_INFO, "child");
		_exit(log_own_pid() != (unsigned)getpid());
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	snprintf(wanted, sizeof(wanted), "\\[%d\\]: child\n$", (int)child);
	expect(wanted);
	say(LOG_L_INFO, "parent");
	snprintf(wanted, sizeof(wanted), "\\[%d\\]: parent\n$", (int)getpid());
	expect(wanted);
	stop();
}

/* What rings hold at a fork is the parent's. */
static void rings_are_empty_behind_a_fork(void **state)
{
	uint64_t at = 0;
	struct ring *r;
	char buf[100];

	(void)state;
	log_forked(); /* nothing runs */
	assert_int_equal(log_parent_start(&(struct err){ "" }), 0);
	start("global\n log ring@r local0\nring r\nring s\n");
	r = ring_find("r");
	assert_ptr_equal(ring_next(NULL), r);
	assert_ptr_equal(ring_next(r), ring_find("s"));
	assert_null(ring_next(ring_find("s")));
	say(LOG_L_INFO, "of the parent");
	assert_int_equal(r->written, 1);
	log_forked();
	assert_int_equal(r->written, 0);
	assert_int_equal(ring_read(r, &at, buf, sizeof(buf)), -1);
	say(LOG_L_INFO, "of the child");
	assert_int_equal(ring_read(r, &at, buf, sizeof(buf)), 12);
	stop();
	assert_null(ring_next(NULL));
	assert_null(ring_find("r"));
}

/* What was dropped before the end is not mentioned behind it. */
static void an_ended_generation_reports_nothing(void **state)
{
	(void)state;
	clock_freeze(400000);
	start("global\n log /nonexistent/log local0\n");
	capture();
	say(LOG_L_INFO, "lost, and mentioned");
	captured();
	capture();
	say(LOG_L_INFO, "lost");
	assert_int_equal(log_stats.dropped, 3); /* with the mention */
	stop();
	assert_int_equal(timer_count(), 0);
	assert_string_equal(captured(), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marks_say_how_bad_it_is),
		cmocka_unit_test(quiet_is_quiet),
		cmocka_unit_test(long_sentences_are_cut),
		cmocka_unit_test(whoever_started_the_process_hears),
		cmocka_unit_test(changes_of_others_are_silent),
		cmocka_unit_test(logs_hear_of_the_process),
		cmocka_unit_test(lines_on_the_terminal_are_seen_once),
		cmocka_unit_test(global_lines_are_seen_through),
		cmocka_unit_test(the_journal_is_standard_error),
		cmocka_unit_test(the_terminal_is_left),
		cmocka_unit_test(writers_follow_profiles),
		cmocka_unit_test(profiles_drop),
		cmocka_unit_test(levels_and_samples_of_writers),
		cmocka_unit_test(room_on_descriptors),
		cmocka_unit_test(long_headers_are_cut),
		cmocka_unit_test(objects_stay_whole),
		cmocka_unit_test(structured_data_at_the_edge),
		cmocka_unit_test(sinks_take_what_is_written),
		cmocka_unit_test(forked_processes_have_their_own_number),
		cmocka_unit_test(rings_are_empty_behind_a_fork),
		cmocka_unit_test(an_ended_generation_reports_nothing),
	};

	return cmocka_run_group_tests(tests, log_world, NULL);
}
