/* SPDX-License-Identifier: BSD-2-Clause */
/* From configuration text to bytes on sockets: levels, tags, formats, lengths, samples, rings,
 * lost lines; and what the parser says of mistakes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/err.h"
#include "config/diag.h"
#include "config/environment.h"
#include "config/load.h"
#include "event/loop.h"
#include "log/log_conf.h"
#include "log/ring.h"
#include "log/ring_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const struct module *const list[] = { &environment_module, &log_module, &log_run_module, &ring_module, NULL };
static struct config *cfg;
static int udp = -1;
static unsigned udp_port;

/* Reads the text, with %u standing for the port of the collector. 0, or -1. */
static int load(const char *fmt)
{
	char text[4096];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(text, sizeof(text), fmt, udp_port, udp_port, udp_port, udp_port, udp_port);
#pragma GCC diagnostic pop
	cfg = config_new(list, false);
	config_read_text(cfg, "test", text, strlen(text));
	return config_finish(cfg);
}

static void start(const char *fmt)
{
	struct err err = { "" };

	if (load(fmt)) {
		diag_print(cfg->diag, stderr, false, 0, DIAG_NOTE);
		fail();
	}
	if (log_run_module.prepare(cfg, NULL, &err) ||
	    log_run_module.start(cfg, NULL, &err))
		fail_msg("%s", err.text);
	log_stats = (struct log_stats){ 0, 0 };
}

static void stop(void)
{
	log_run_module.stop();
	config_free(&cfg);
}

static void expect(const char *pattern)
{
	char buf[70000];
	ssize_t n = recv(udp, buf, sizeof(buf) - 1, 0);
	regex_t re;

	if (n < 0)
		fail_msg("nothing arrived, expected %s", pattern);
	buf[n] = 0;
	assert_int_equal(regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB), 0);
	if (regexec(&re, buf, 0, NULL, 0))
		fail_msg("'%s' instead of '%s'", buf, pattern);
	regfree(&re);
}

static void expect_none(void)
{
	char c;

	assert_int_equal(recv(udp, &c, 1, 0), -1);
	assert_int_equal(errno, EAGAIN);
}

static void say_sd(const char *sd, const char *text)
{
	const struct log_message message = { .msg = span_of(text), .sd = span_of(sd) };

	log_send_message(log_global(), LOG_L_INFO, &message);
}

static void say(enum log_level level, const char *text)
{
	log_send(log_global(), level, text, strlen(text));
}

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

/* -- ring servers ------------------------------------------------------------------------- */

static int listen_on(unsigned *port)
{
	struct sockaddr_in sin = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(sin);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), on = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	sin.sin_port = htons((uint16_t)*port);
	assert_int_equal(bind(fd, (struct sockaddr *)&sin, sizeof(sin)), 0);
	assert_int_equal(listen(fd, 5), 0);
	getsockname(fd, (struct sockaddr *)&sin, &len);
	*port = ntohs(sin.sin_port);
	return fd;
}

static int accept_soon(int fd)
{
	int i, got = -1;

	for (i = 0; i < 1000 && (got = accept4(fd, NULL, NULL, SOCK_NONBLOCK)) < 0; i++)
		loop_turn(5);
	assert_true(got >= 0);
	return got;
}

static void expect_stream(int fd, const char *text)
{
	char buf[400];
	size_t len = 0, want = strlen(text);
	int i;

	for (i = 0; i < 1000 && len < want; i++) {
		ssize_t n = recv(fd, buf + len, sizeof(buf) - 1 - len, 0);

		if (n > 0)
			len += (size_t)n;
		else
			loop_turn(5);
	}
	buf[len] = 0;
	assert_string_equal(buf, text);
}

static void ring_server_gets_messages(const char *proto, const char *first, const char *second)
{
	unsigned saved = udp_port, port = 0;
	int fd = listen_on(&port), c;
	char text[400];

	udp_port = port; /* what load() puts in */
	snprintf(text, sizeof(text),
		 "global\n log ring@r local0\nring r\n format short\n timeout connect 1s\n"
		 " timeout server 1s\n server s 127.0.0.1:%%u%s\n", proto);
	start(text);
	udp_port = saved;
	say(LOG_L_INFO, "one");
	say(LOG_L_INFO, "two");
	c = accept_soon(fd);
	expect_stream(c, first);
	say(LOG_L_INFO, "three");
	expect_stream(c, second);
	close(c);
	close(fd);
	stop();
}

static void ring_server_legacy(void **state)
{
	(void)state;
	ring_server_gets_messages("", "<6>one\n<6>two\n", "<6>three\n");
}

static void ring_server_octet_count(void **state)
{
	(void)state;
	ring_server_gets_messages(" log-proto octet-count", "6 <6>one6 <6>two", "8 <6>three");
}

static int unread(int fd)
{
	int n = 0;

	assert_int_equal(ioctl(fd, FIONREAD, &n), 0);
	return n;
}

/* Reading what nobody wants must not keep the loop. */
static void ring_server_that_talks_gets_its_turn(void **state)
{
	enum { TALK = 48000 };
	unsigned saved = udp_port, port = 0;
	int fd = listen_on(&port), c, i;
	static const char much[TALK];
	const struct ring_server *s;

	(void)state;
	udp_port = port;
	start("global\n log ring@r local0\nring r\n format raw\n server s 127.0.0.1:%u\n");
	udp_port = saved;
	say(LOG_L_INFO, "one");
	c = accept_soon(fd);
	expect_stream(c, "one\n");
	s = list_first(&ring_find("r")->servers, struct ring_server, reader.node);
	assert_int_equal(send(c, much, TALK, 0), TALK);
	for (i = 0; i < 10000 && unread(s->src.fd) < TALK; i++)
		usleep(1000);
	loop_turn(0);
	assert_true(unread(s->src.fd) > 0 && unread(s->src.fd) < TALK);
	say(LOG_L_INFO, "two");
	for (i = 0; i < 1000 && unread(s->src.fd); i++)
		loop_turn(0);
	assert_int_equal(unread(s->src.fd), 0);
	expect_stream(c, "two\n");
	assert_int_equal(s->failures, 0);
	close(c);
	close(fd);
	stop();
}

/* It goes away and comes back: what was not sent comes then, in order. */
static void ring_server_comes_back(void **state)
{
	unsigned saved = udp_port, port = 0;
	int fd = listen_on(&port), c, i, old = log_to_stderr;
	char text[400];

	(void)state;
	log_to_stderr = false;
	clock_freeze(200000);
	udp_port = port;
	start("global\n log tcp@127.0.0.1:%u format raw local0\n");
	udp_port = saved;
	say(LOG_L_INFO, "before");
	c = accept_soon(fd);
	expect_stream(c, "before\n");
	close(c);
	close(fd);
	for (i = 0; i < 20; i++)
		loop_turn(5);
	say(LOG_L_INFO, "meanwhile");
	loop_turn(0);
	clock_advance(1001); /* refused: it is not there */
	loop_turn(5);
	loop_turn(5);
	fd = listen_on(&port);
	clock_advance(1001);
	c = accept_soon(fd);
	snprintf(text, sizeof(text),
		 "ring tcp@127.0.0.1:%u: server tcp@127.0.0.1:%u: it has closed the connection, its "
		 "messages wait\nmeanwhile\nring tcp@127.0.0.1:%u: server tcp@127.0.0.1:%u: connected "
		 "again\n", port, port, port, port);
	expect_stream(c, text);
	say(LOG_L_INFO, "after");
	expect_stream(c, "after\n");
	close(c);
	close(fd);
	stop();
	log_to_stderr = old;
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

static int setup(void **state)
{
	struct sockaddr_in sin = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(sin);

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	udp = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	if (bind(udp, (struct sockaddr *)&sin, sizeof(sin)) ||
	    getsockname(udp, (struct sockaddr *)&sin, &len))
		return -1;
	udp_port = ntohs(sin.sin_port);
	return loop_init(64);
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
		cmocka_unit_test(ring_server_legacy),
		cmocka_unit_test(ring_server_octet_count),
		cmocka_unit_test(lost_lines_are_mentioned_once_a_second),
		cmocka_unit_test(full_stderr_does_not_block),
		cmocka_unit_test(ring_server_that_talks_gets_its_turn),
		cmocka_unit_test(ring_server_comes_back),
		cmocka_unit_test(mistakes),
		cmocka_unit_test(accepted_addresses),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
