/* SPDX-License-Identifier: BSD-2-Clause */
/* From configuration text to bytes on sockets: levels, tags, formats, lengths, samples, rings,
 * lost lines; and what the parser says of mistakes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/clock.h"
#include "config/diag.h"
#include "config/load.h"
#include "event/loop.h"
#include "log/log_conf.h"
#include "log/ring.h"
#include "log/test_world.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void levels_filter_and_cap(void **state)
{
	(void)state;
	start("global\n log 127.0.0.1:%u format short local0 notice err\n");
	say(LOG_L_INFO, "no");
	say(LOG_L_NOTICE, "notice");
	say(LOG_L_EMERG, "capped");
	expect("^<5>notice\n$");
	expect("^<3>capped\n$");
	expect_none();
	assert_int_equal(log_stats.sent, 2);
	stop();
}

static void tag_and_host(void **state)
{
	(void)state;
	start("global\n log-tag mytag\n log 127.0.0.1:%u local0\n log-send-hostname some.host\n"
	      " log 127.0.0.1:%u format rfc5424 local1\n log 127.0.0.1:%u format local user\n");
	say(LOG_L_INFO, "hello");
	expect("^<134>[A-Z][a-z][a-z] [ 1-3][0-9] [0-9:]{8} some\\.host mytag\\[[0-9]+\\]: hello\n$");
	expect("^<142>1 [-0-9]{10}T[0-9:]{8}\\.[0-9]{6}[-+][0-9:]{5} some\\.host mytag [0-9]+ - - "
	       "hello\n$");
	expect("^<14>[A-Z][a-z][a-z] [ 1-3][0-9] [0-9:]{8} mytag\\[[0-9]+\\]: hello\n$");
	stop();
}

static void default_tag_is_the_program(void **state)
{
	(void)state;
	start("global\n log 127.0.0.1:%u local0\n");
	say(LOG_L_INFO, "x");
	expect("log_test\\[[0-9]+\\]: x\n$");
	stop();
}

static void structured_data(void **state)
{
	(void)state;
	start("global\n log 127.0.0.1:%u format rfc5424 local0\n log 127.0.0.1:%u format raw local0\n"
	      " log 127.0.0.1:%u format rfc5424 len 80 local0\n");
	say_sd("[a@1 x=\"y\"]", "text");
	expect(" - \\[a@1 x=\"y\"\\] text\n$");
	expect("^text\n$");
	expect(" - \\[a@1 x=\"y\"\\] text\n$");
	say_sd("[a@1 x=\"012345678901234567890123456789\"]", "text");
	expect("0123456789\"\\] text\n$");
	expect("^text\n$");
	expect(" - - text\n$"); /* whole or not at all */
	stop();
}

static void lines_are_cut(void **state)
{
	char big[3000], buf[4000];

	(void)state;
	memset(big, 'z', sizeof(big));
	start("global\n log 127.0.0.1:%u len 80 local0\n log 127.0.0.1:%u len 80 format raw local0\n"
	      " log 127.0.0.1:%u format raw local0\n log 127.0.0.1:%u len 2500 format raw local0\n");
	log_send(log_global(), LOG_L_INFO, big, sizeof(big));
	assert_int_equal(recv(udp, buf, sizeof(buf), 0), 81);
	assert_int_equal(buf[80], '\n');
	assert_int_equal(recv(udp, buf, sizeof(buf), 0), 81);
	assert_int_equal(recv(udp, buf, sizeof(buf), 0), 1025);
	assert_int_equal(recv(udp, buf, sizeof(buf), 0), 2501);
	assert_int_equal(log_max_len(), 2500);
	stop();
}

static void samples_share_the_load(void **state)
{
	int i;

	(void)state;
	start("global\n log 127.0.0.1:%u sample 1:3 format short local0\n"
	      " log 127.0.0.1:%u sample 2-3:3 format raw local0\n");
	for (i = 0; i < 4; i++)
		say(LOG_L_INFO, "l");
	expect("^<6>l\n$");
	expect("^l\n$");
	expect("^l\n$");
	expect("^<6>l\n$");
	expect_none();
	stop();
}

static void no_log_flushes(void **state)
{
	(void)state;
	start("global\n log 127.0.0.1:%u local0\n no log\n log 127.0.0.1:%u format raw local1\n");
	say(LOG_L_INFO, "one");
	expect("^one\n$");
	expect_none();
	stop();
}

static void no_targets_no_lines(void **state)
{
	(void)state;
	start("global\n log-tag x\n");
	assert_false(log_enabled(log_global()));
	assert_false(log_enabled(NULL));
	say(LOG_L_INFO, "x");
	log_send(NULL, LOG_L_INFO, "x", 1);
	assert_int_equal(log_stats.sent + log_stats.dropped, 0);
	stop();
	assert_false(log_enabled(log_global()));
	log_process(LOG_L_INFO, "after the end");
}

static void ring_takes_its_own_format(void **state)
{
	struct ring *ring;
	uint64_t at;
	char buf[200];
	ssize_t n;

	(void)state;
	start("global\n log ring@r format rfc5424 local0\n"
	      "ring r\n description \"my ring\"\n format short\n size 2000\n maxlen 12\n");
	ring = ring_find("r");
	assert_non_null(ring);
	assert_string_equal(ring->description, "my ring");
	assert_null(ring_find("other"));
	assert_ptr_equal(ring_next(NULL), ring);
	assert_null(ring_next(ring));
	say(LOG_L_WARNING, "some text that is cut");
	at = ring_oldest(ring);
	n = ring_read(ring, &at, buf, sizeof(buf));
	assert_int_equal(n, 12);
	assert_memory_equal(buf, "<4>some text", 12);
	stop();
}

/* stderr, which here is a pipe. */
static int capture(int *saved)
{
	int fds[2];

	assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
	*saved = dup(STDERR_FILENO);
	dup2(fds[1], STDERR_FILENO);
	close(fds[1]);
	return fds[0];
}

static ssize_t captured(int fd, int saved, char *buf, size_t size)
{
	ssize_t n;

	dup2(saved, STDERR_FILENO);
	close(saved);
	n = read(fd, buf, size - 1);
	close(fd);
	buf[n > 0 ? n : 0] = 0;
	return n;
}

static void lost_lines_are_mentioned_once_a_second(void **state)
{
	int saved, fd, i;
	char buf[2000];

	(void)state;
	clock_freeze(100000);
	start("global\n log /nonexistent/log local0\n log 127.0.0.1:%u format short local0 warning\n");
	fd = capture(&saved);
	for (i = 0; i < 500; i++)
		say(LOG_L_INFO, "lost");
	captured(fd, saved, buf, sizeof(buf));
	assert_non_null(strstr(buf, "[WARNING]  ("));
	assert_non_null(strstr(buf, " : log /nonexistent/log: 1 lines dropped: No such file or "
				    "directory\n"));
	assert_ptr_equal(strchr(buf, '\n'), buf + strlen(buf) - 1); /* one line only */
	expect("^<4>log /nonexistent/log: 1 lines dropped");
	expect_none();
	assert_int_equal(log_stats.dropped, 501); /* the mention itself was lost there, too */

	fd = capture(&saved);
	clock_advance(1000);
	loop_turn(0);
	captured(fd, saved, buf, sizeof(buf));
	assert_non_null(strstr(buf, ": 499 lines dropped"));
	expect("^<4>log /nonexistent/log: 499 lines dropped");
	fd = capture(&saved);
	clock_advance(5000);
	loop_turn(0);
	assert_int_equal(captured(fd, saved, buf, sizeof(buf)), 0); /* nothing new: silence */
	stop();
}

static void full_stderr_does_not_block(void **state)
{
	int saved, fds[2], i;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	saved = dup(STDERR_FILENO);
	dup2(fds[1], STDERR_FILENO);
	for (i = 0; i < 5000; i++)
		log_stderr(LOG_L_ERR, "a sentence that nobody reads, number %d", i);
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(fds[0]);
	close(fds[1]);
}

/* -- mistakes ----------------------------------------------------------------------------- */

static void refused(const char *line, const char *message)
{
	const struct problem *p;
	char text[300];

	snprintf(text, sizeof(text), "global\n %s\nring r1\n", line);
	assert_int_equal(load(text), -1);
	for (p = cfg->diag->first; p; p = p->next)
		if (p->severity == DIAG_ERROR && strstr(p->message, message) && p->place.line == 2)
			break;
	if (!p) {
		diag_print(cfg->diag, stderr, false, 0, DIAG_NOTE);
		fail_msg("'%s' was not told '%s'", line, message);
	}
	config_free(&cfg);
}

static void mistakes(void **state)
{
	(void)state;
	refused("log", "address of a log server");
	refused("log global", "'log global' belongs into proxies");
	refused("log 127.0.0.1", "log facility");
	refused("log 127.0.0.1 locl0", "unknown log facility 'locl0'");
	refused("log 127.0.0.1 local0 foo", "unknown log level 'foo'");
	refused("log 127.0.0.1 local0 err foo", "unknown minimum log level 'foo'");
	refused("log 127.0.0.1 local0 err debug x", "'x'");
	refused("log 127.0.0.1 len 79 local0", "length of a log line");
	refused("log 127.0.0.1 len 65536 local0", "length of a log line");
	refused("log 127.0.0.1 format foo local0", "unknown log format 'foo'");
	refused("log 127.0.0.1 sample 0:2 local0", "from 1 on");
	refused("log 127.0.0.1 sample 3-1:4 local0", "not below its first");
	refused("log 127.0.0.1 sample 1,1:4 local0", "overlap");
	refused("log 127.0.0.1 sample 1-2,2-3:4 local0", "overlap");
	refused("log 127.0.0.1 sample 1 local0", "size of the sample is missing");
	refused("log 127.0.0.1 sample 1: local0", "size of the sample must be a number");
	refused("log 127.0.0.1 sample 1-3:2 local0", "must not be below");
	refused("log 127.0.0.1 sample :3 local0", "a range must be");
	refused("log 127.0.0.1 sample 99999999999999999999:3 local0", "a range must be");
	refused("log ring@nosuch local0", "there is no ring 'nosuch'");
	refused("log fd@x local0", "descriptor must be a number");
	refused("log fd@-1 local0", "descriptor must be a number");
	refused("log 127.0.0.1:70000 local0", "70000");
	refused("no log 127.0.0.1 local0", "127.0.0.1");
	refused("log-tag", "tag expected");
	refused("log-tag \"\"", "must not be empty");
	refused("log-tag a b", "'b'");
}

static void accepted_addresses(void **state)
{
	(void)state;
	assert_int_equal(load("global\n log 127.0.0.1 local0\n log [::1]:514 user\n log ::1:514 user\n"
			      " log ipv4@127.0.0.1 kern\n log udp@127.0.0.1 daemon\n"
			      " log udp4@127.0.0.1:1 mail\n log uxdg@/tmp/x local7\n"
			      " log unix@/tmp/x local7\n log /dev/log local7 emerg emerg\n"
			      " log stdout format raw daemon\n log stderr len 80 daemon\n"
			      " log fd@7 daemon\n log tcp@127.0.0.1:1 daemon\n"
			      " log 127.0.0.1 sample 1,2-3:3 len 100 format iso lpr\n log *:514 news\n"
			      " log-send-hostname\n"),
			 0);
	config_free(&cfg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_filter_and_cap),
		cmocka_unit_test(tag_and_host),
		cmocka_unit_test(default_tag_is_the_program),
		cmocka_unit_test(structured_data),
		cmocka_unit_test(lines_are_cut),
		cmocka_unit_test(samples_share_the_load),
		cmocka_unit_test(no_log_flushes),
		cmocka_unit_test(no_targets_no_lines),
		cmocka_unit_test(ring_takes_its_own_format),
		cmocka_unit_test(lost_lines_are_mentioned_once_a_second),
		cmocka_unit_test(full_stderr_does_not_block),
		cmocka_unit_test(mistakes),
		cmocka_unit_test(accepted_addresses),
	};

	return cmocka_run_group_tests(tests, log_world, NULL);
}
