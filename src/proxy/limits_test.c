/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors and maxconn, each from the other, to the last one; and what is in force of the limits of
 * frontends and backends. The limits of the system are the test's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "config/environment.h"
#include "config/load.h"
#include "net/bind_conf.h"
#include "proxy/global.h"
#include "proxy/limits.h"
#include "proxy/proxy.h"
#include "proxy/proxy_conf.h"
#include "proxy/test_config.h"
#include "share/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- the system -------------------------------------------------------------------------- */

static struct rlimit system_limit;
static bool system_fails, may_raise;

int getrlimit(__rlimit_resource_t what, struct rlimit *rl)
{
	if (what != RLIMIT_NOFILE)
		return prlimit(0, what, NULL, rl);
	errno = EINVAL;
	*rl = system_limit;
	return system_fails ? -1 : 0;
}

int setrlimit(__rlimit_resource_t what, const struct rlimit *rl)
{
	if (what != RLIMIT_NOFILE)
		return prlimit(0, what, rl, NULL);
	if (rl->rlim_cur > rl->rlim_max || (rl->rlim_max > system_limit.rlim_max && !may_raise))
		return -1;
	system_limit = *rl;
	return 0;
}

/* ---- the configuration ------------------------------------------------------------------- */

static const struct module *const list[] = { &environment_module, &bind_module, &proxy_module,
					     &server_module, NULL };
static struct config *cfg;
static struct proxies *all;
static struct global_state state_of_all;
static int saved_stderr, captured;

/* 20 of its own, two listeners, one server with checks: 23 descriptors. */
static const char text[] = "defaults\n timeout client 1s\n timeout server 1s\n timeout connect 1s\n"
			   "frontend f\n bind 127.0.0.1:1-2\n"
			   "backend b\n server s 127.0.0.1:3 check\n server t 127.0.0.1:3\n";

static int setup(void **state)
{
	(void)state;
	cfg = test_config_read(list, text);
	all = config_data(cfg, &proxy_module);
	global_state = &state_of_all;
	limits = (struct limits){ .maxpipes = -1 };
	system_fails = may_raise = false;
	saved_stderr = dup(STDERR_FILENO);
	captured = memfd_create("stderr", 0);
	dup2(captured, STDERR_FILENO);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	dup2(saved_stderr, STDERR_FILENO);
	close(saved_stderr);
	close(captured);
	segment_free(&all->segment);
	config_free(&cfg);
	return 0;
}

static const char *printed(void)
{
	static char buf[1024];
	ssize_t n = pread(captured, buf, sizeof(buf) - 1, 0);

	assert_true(n >= 0);
	buf[n] = 0;
	return buf;
}

static void apply(rlim_t soft, rlim_t hard)
{
	struct err err = { "" };

	system_limit = (struct rlimit){ soft, hard };
	assert_int_equal(limits_apply(all, &err), 0);
}

static void assert_limits(unsigned maxconn, unsigned maxsock, unsigned pipes, unsigned ulimit_n)
{
	assert_int_equal(global_state->maxconn, maxconn);
	assert_int_equal(limits.hard_maxconn, maxconn);
	assert_int_equal(limits.maxsock, maxsock);
	assert_int_equal(limits.pipes, pipes);
	assert_int_equal(limits.ulimit_n, ulimit_n);
}

/* ---- tests ------------------------------------------------------------------------------- */

static void maxconn_is_given(void **state)
{
	(void)state;
	all->global.maxconn = 100;
	apply(1000, 1000);
	assert_limits(100, 273, 25, 1000);
	assert_int_equal(limits.ulimit_told, 1000);
	apply(100, 1000);
	assert_limits(100, 273, 25, 273);
	assert_int_equal(system_limit.rlim_cur, 273);
	assert_int_equal(system_limit.rlim_max, 1000);
	apply(272, 1000);
	assert_int_equal(system_limit.rlim_cur, 273);
	apply(273, 1000);
	assert_int_equal(system_limit.rlim_cur, 273);
	apply(RLIM_INFINITY, RLIM_INFINITY);
	assert_limits(100, 273, 25, INT32_MAX);
	limits.maxpipes = 5;
	apply(1000, 1000);
	assert_limits(100, 233, 5, 1000);
	limits.maxpipes = 0;
	apply(1000, 1000);
	assert_limits(100, 223, 0, 1000);
	assert_string_equal(printed(), "");
}

static void maxconn_follows_from_descriptors(void **state)
{
	(void)state;
	apply(10, 1000);
	assert_limits(391, 999, 97, 999);
	apply(10, 1001);
	assert_limits(391, 999, 97, 999);
	apply(10, 998);
	assert_limits(390, 997, 97, 997);
	all->global.fd_hard_limit = 500;
	apply(10, 1000);
	assert_limits(191, 499, 47, 499);
	all->global.fd_hard_limit = 2000;
	apply(10, 1000);
	assert_limits(391, 999, 97, 999);
	all->global.ulimit_n = 300;
	apply(10, 1000);
	assert_limits(111, 299, 27, 300);
	assert_int_equal(limits.ulimit_told, 300);
}

static void ulimit_n_is_given(void **state)
{
	(void)state;
	all->global.maxconn = 100;
	all->global.ulimit_n = 500;
	apply(100, 1000);
	assert_limits(100, 273, 25, 500);
	assert_int_equal(limits.ulimit_told, 500);
	/* It is more than we may have, */
	all->global.ulimit_n = 2000;
	apply(100, 1000);
	assert_limits(100, 273, 25, 1000);
	assert_int_equal(limits.ulimit_told, 1000);
	/* and then we may. */
	may_raise = true;
	apply(100, 1000);
	assert_limits(100, 273, 25, 2000);
	assert_int_equal(system_limit.rlim_max, 2000);
	all->global.ulimit_n = 200;
	apply(1000, 1000);
	assert_int_equal(limits.ulimit_n, 1000);
	assert_int_equal(limits.ulimit_told, 200);
}

static void pipes_are_given_up_first(void **state)
{
	(void)state;
	all->global.maxconn = 100;
	apply(240, 240);
	assert_limits(100, 239, 8, 240);
	assert_non_null(strstr(printed(), "maxconn 100 and its pipes need 273 file descriptors, but the "
					  "system allows only 240: 8 pipes are used, and more is copied "
					  "(ulimit -n, LimitNOFILE=)\n"));
	apply(223, 223);
	assert_limits(100, 223, 0, 223);
}

static void refused(rlim_t limit, const char *message)
{
	struct err err = { "" };

	system_limit = (struct rlimit){ limit, limit };
	assert_int_equal(limits_apply(all, &err), -1);
	assert_string_equal(err.text, message);
}

static void too_few_for_connections(void **state)
{
	struct err err = { "" };

	(void)state;
	all->global.maxconn = 100;
	refused(222, "maxconn 100 needs 223 file descriptors, but the system allows only 222: raise the "
		     "limit (ulimit -n, LimitNOFILE=) or set maxconn to 99 at most");
	refused(25, "maxconn 100 needs 223 file descriptors, but the system allows only 25: raise the "
		    "limit (ulimit -n, LimitNOFILE=) or set maxconn to 1 at most");
	refused(24, "maxconn 100 needs 223 file descriptors, but the system allows only 24: raise the "
		    "limit (ulimit -n, LimitNOFILE=)");
	all->global.maxconn = 0;
	refused(10, "maxconn 1 needs 25 file descriptors, but the system allows only 10: raise the limit "
		    "(ulimit -n, LimitNOFILE=)");
	assert_string_equal(printed(), "");
	all->global.maxconn = 100;
	all->global.strict_limits = false;
	apply(200, 200);
	assert_limits(100, 273, 25, 200);
	assert_non_null(strstr(printed(), "maxconn 100 needs 223 file descriptors, but the system allows "
					  "only 200\n"));
	system_fails = true;
	assert_int_equal(limits_apply(all, &err), -1);
	assert_string_equal(err.text, "getrlimit: Invalid argument");
}

static struct proxy *hidden(struct list *where, unsigned maxconn, unsigned servers)
{
	struct proxy *px = proxy_new(cfg, "hidden", PROXY_FRONTEND, NULL, NULL);

	px->set.maxconn = maxconn;
	px->server_count = servers;
	list_append(where, &px->node);
	return px;
}

/* Connections of statistics, three connections of each peer, two of each session of datagrams. */
static void who_else_has_descriptors(void **state)
{
	(void)state;
	all->global.maxconn = 100;
	limits.maxpipes = 0;
	hidden(&all->stats_frontends, 7, 0);
	apply(1000, 1000);
	assert_int_equal(limits.maxsock, 230);
	hidden(&all->peers, 1000, 4);
	apply(1000, 1000);
	assert_int_equal(limits.maxsock, 242);
	hidden(&all->list, 6, 3)->set.mode = MODE_UDP;
	apply(1000, 1000);
	assert_int_equal(limits.maxsock, 254);
}

/* ---- in force ---------------------------------------------------------------------------- */

static unsigned in_force(const char *name)
{
	return proxy_find(proxies_running, name, PROXY_FRONTEND)->state->maxconn;
}

static unsigned fullconn(const char *name)
{
	return proxy_find(proxies_running, name, PROXY_BACKEND)->fullconn;
}

static void limits_of_proxies(void **state)
{
	static const char more[] =
		"defaults\n timeout client 1s\n timeout server 1s\n timeout connect 1s\n"
		"frontend f\n bind 127.0.0.1:1\n maxconn 91\n rate-limit sessions 9\n default_backend b\n"
		"frontend g\n bind 127.0.0.1:2\n default_backend c\n"
		"frontend h\n bind 127.0.0.1:3\n maxconn 9\n default_backend c\n disabled\n"
		"backend b\nbackend c\nbackend d\n fullconn 5\nbackend e\n";
	struct err err = { "" };

	(void)state;
	segment_free(&all->segment);
	config_free(&cfg);
	cfg = test_config_read(list, more);
	all = config_data(cfg, &proxy_module);
	system_limit = (struct rlimit){ 10000, 10000 };
	all->global.maxconn = 200;
	all->global.maxconn_rate = 3;
	all->global.maxsess_rate = 4;
	all->global.max_comp_rate = 5;
	all->global.max_comp_cpu = 6;
	all->global.max_tls = 7;
	all->global.max_tls_rate = 8;
	assert_int_equal(proxies_prepare(cfg, all, &err), 0);
	assert_int_equal(in_force("f"), 91);
	assert_int_equal(proxy_find(all, "f", PROXY_FRONTEND)->state->rate_limit, 9);
	assert_int_equal(in_force("g"), 200);
	assert_int_equal(fullconn("b"), 10);
	assert_int_equal(fullconn("c"), 21);
	assert_int_equal(fullconn("d"), 5);
	assert_int_equal(fullconn("e"), 1);
	assert_int_equal(proxy_find(all, "f", PROXY_FRONTEND)->run_state, PROXY_READY);
	assert_int_equal(proxy_find(all, "h", PROXY_FRONTEND)->run_state, PROXY_STOPPED);
	assert_int_equal(global_state->maxconn_rate, 3);
	assert_int_equal(global_state->maxsess_rate, 4);
	assert_int_equal(global_state->max_comp_rate, 5);
	assert_int_equal(global_state->max_comp_cpu, 6);
	assert_int_equal(global_state->max_tls, 7);
	assert_int_equal(global_state->max_tls_rate, 8);
	assert_true(proxy_leads(proxy_find(all, "f", PROXY_FRONTEND), proxy_find(all, "b", PROXY_BACKEND)));
	assert_false(proxy_leads(proxy_find(all, "f", PROXY_FRONTEND),
				 proxy_find(all, "c", PROXY_BACKEND)));
	assert_false(proxy_leads(proxy_find(all, "b", PROXY_BACKEND), proxy_find(all, "b", PROXY_BACKEND)));
	assert_false(proxy_leads(proxy_find(all, "f", PROXY_FRONTEND),
				 proxy_find(all, "g", PROXY_FRONTEND)));
	proxy_find(all, "f", PROXY_FRONTEND)->switch_anywhere = true;
	assert_true(proxy_leads(proxy_find(all, "f", PROXY_FRONTEND), proxy_find(all, "c", PROXY_BACKEND)));
	/* -N */
	all->global.proxy_maxconn = 50;
	assert_int_equal(proxies_prepare(cfg, all, &err), 0);
	assert_int_equal(in_force("f"), 91);
	assert_int_equal(in_force("g"), 50);
	assert_int_equal(fullconn("c"), 6);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(maxconn_is_given), TEST(maxconn_follows_from_descriptors),
		TEST(ulimit_n_is_given), TEST(pipes_are_given_up_first),
		TEST(too_few_for_connections), TEST(who_else_has_descriptors),
		TEST(limits_of_proxies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
