/* SPDX-License-Identifier: BSD-2-Clause */
/* What global words of how bytes move do to each other, what they set, and whether there are
 * pipes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/memory.h"
#include "base/pool.h"
#include "config/environment.h"
#include "config/load.h"
#include "event/loop.h"
#include "event/profile.h"
#include "expr/expr.h"
#include "net/conn.h"
#include "net/sock.h"
#include "proxy/limits.h"
#include "proxy/proxy.h"
#include "proxy/test_config.h"
#include "relay/buffer.h"
#include "relay/pipe.h"
#include "stream/stream.h"
#include "stream/tune.h"
#include "tls/conn.h"

#include <limits.h>

static struct tune tune;

static int begin(void **state)
{
	(void)state;
	tune = (struct tune){ 0 };
	tune_module.init(NULL, &tune);
	return 0;
}

static void what_is_not_said(void **state)
{
	(void)state;
	assert_int_equal(tune_module.finish(NULL, &tune), 0);
	assert_int_equal(tune.bufsize, 16384);
	assert_int_equal(tune.maxrewrite, 1024);
	assert_int_equal(tune.maxpipes, -1);
	assert_int_equal(tune.kernel_after, 8);
	assert_int_equal(tune.buffers_reserve, 2);
	assert_int_equal(tune.maxpollevents, 200);
	assert_false(tune.nosplice);
}

/* Half of a buffer is left for what is received. */
static void the_room_in_front_is_limited(void **state)
{
	(void)state;
	tune.maxrewrite = 8191;
	assert_int_equal(tune_module.finish(NULL, &tune), 0);
	assert_int_equal(tune.maxrewrite, 8191);
	tune.maxrewrite = 8193;
	assert_int_equal(tune_module.finish(NULL, &tune), 0);
	assert_int_equal(tune.maxrewrite, 8192);
}

/* Whoever serves another process reads to the end. */
static void the_colocated_do_not_splice(void **state)
{
	(void)state;
	tune.colocated = 1;
	assert_int_equal(tune_module.finish(NULL, &tune), 0);
	assert_true(tune.nosplice);
}

static void pipes_are_for_those_that_splice(void **state)
{
	(void)state;
	limits.pipes = 10;
	tune_pipes(&tune);
	assert_true(pipes_wanted());
	pipes_free();
	tune.nosplice = true;
	tune_pipes(&tune);
	assert_false(pipes_wanted());
	pipes_free();
	tune.nosplice = false;
	limits.pipes = 0;
	tune_pipes(&tune);
	assert_false(pipes_wanted());
	pipes_free();
}

/* ---- what they set ------------------------------------------------------------------------ */

static const struct module *const own_modules[] = { &environment_module, &proxy_module,
							   &tune_module, NULL };

/* This is in force; calls: an expression counts them. */
static void in_force(const char *text, bool calls)
{
	struct config *cfg = test_config_read(own_modules, text);
	struct proxies *all = config_data(cfg, &proxy_module);
	struct err err = { "" };

	all->global.counts_calls = calls;
	assert_int_equal(tune_module.prepare(cfg, config_data(cfg, &tune_module), &err), 0);
	assert_int_equal(tune_module.start(cfg, config_data(cfg, &tune_module), &err), 0);
	assert_string_equal(err.text, "");
	config_free(&cfg);
}

static void what_words_set(void **state)
{
	(void)state;
	in_force("global\n", false);
	assert_int_equal(buffer_size(), 16384);
	assert_int_equal(buffer_reserve, 1024);
	assert_int_equal(expr_scratch_size, 16384);
	assert_int_equal(tls_early_most, 16384 - 1024);
	assert_int_equal(conn_tune.recv_enough, 0);
	assert_int_equal(memory_debug.fail_percent, 0);
	assert_false(conn_tune.reads_to_end);
	assert_false(loop_is_busy());
	assert_non_null(pool_freed);
	in_force("global\n tune.bufsize 4096\n tune.maxrewrite 100\n tune.recv_enough 77\n"
		 " busy-polling\n no-memory-trimming\n tune.rcvbuf.client 1001\n"
		 " tune.sndbuf.client 1002\n tune.rcvbuf.server 1003\n"
		 " tune.sndbuf.server 1004\n tune.fail-alloc 12\n", false);
	assert_int_equal(buffer_size(), 4096);
	assert_int_equal(buffer_reserve, 100);
	assert_int_equal(expr_scratch_size, 4096);
	assert_int_equal(tls_early_most, 4096 - 100);
	assert_int_equal(conn_tune.recv_enough, 77);
	assert_int_equal(memory_debug.fail_percent, 12);
	assert_false(conn_tune.reads_to_end);
	assert_true(loop_is_busy());
	assert_null(pool_freed);
	assert_int_equal(sock_tune.rcvbuf_client, 1001);
	assert_int_equal(sock_tune.sndbuf_client, 1002);
	assert_int_equal(sock_tune.rcvbuf_server, 1003);
	assert_int_equal(sock_tune.sndbuf_server, 1004);
	in_force("global\n tune.colocated on\n tune.recv_enough 77\n", false);
	assert_true(conn_tune.reads_to_end);
	assert_int_equal(conn_tune.recv_enough, UINT_MAX);
}

/* Streams that begin from then on are measured; what else they are looked at for stays. */
static void streams_hear_that_profiling_is_switched(void **state)
{
	(void)state;
	streams_watched = WATCH_BYTES;
	in_force("global\n profiling.tasks on\n", false);
	assert_int_equal(profile_mode(), PROFILE_ON);
	assert_int_equal(streams_watched, WATCH_BYTES | WATCH_TIMES);
	profile_set(PROFILE_OFF);
	assert_int_equal(streams_watched, WATCH_BYTES);
	profile_set(PROFILE_ON);
	assert_int_equal(streams_watched, WATCH_BYTES | WATCH_TIMES);
	in_force("global\n", false);
	assert_int_equal(profile_mode(), PROFILE_AUTO);
	assert_int_equal(streams_watched, WATCH_BYTES);
}

static void calls_are_counted_where_they_are_asked_for(void **state)
{
	(void)state;
	streams_watched = WATCH_BYTES;
	in_force("global\n", true);
	assert_int_equal(streams_watched, WATCH_BYTES | WATCH_CALLS);
	in_force("global\n", false);
	assert_int_equal(streams_watched, WATCH_BYTES);
}

/* ---- what the program says of itself ------------------------------------------------------ */

static void which_ways_are_open(void **state)
{
	(void)state;
	assert_int_equal(tune_module.enabled(&tune, "SPLICE"), 1);
	tune.nosplice = true;
	assert_int_equal(tune_module.enabled(&tune, "SPLICE"), 0);
	assert_int_equal(tune_module.enabled(&tune, "EPOLL"), 1);
	assert_int_equal(tune_module.enabled(&tune, "FAST-FORWARD"), 1);
	assert_int_equal(tune_module.enabled(&tune, "KQUEUE"), -1);
}

#define EACH(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(what_is_not_said), EACH(the_room_in_front_is_limited),
		EACH(the_colocated_do_not_splice), EACH(pipes_are_for_those_that_splice),
		EACH(what_words_set), EACH(streams_hear_that_profiling_is_switched),
		EACH(calls_are_counted_where_they_are_asked_for), EACH(which_ways_are_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
