/* SPDX-License-Identifier: BSD-2-Clause */
/* What a configuration says of sticky counters: how many there are, and whether streams tell their
 * bytes all along. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "config/environment.h"
#include "config/load.h"
#include "proxy/proxy.h"
#include "proxy/test_config.h"
#include "stream/stream.h"
#include "stream/track.h"

static const struct module *const own_modules[] = { &environment_module, &proxy_module,
						    &track_module, NULL };

/* This is in force; follows: a rule of it follows something. */
static void in_force(const char *text, bool follows)
{
	struct config *cfg = test_config_read(own_modules, text);
	struct err err = { "" };

	assert_false(tracks_conf.used); /* what the one before has said is forgotten */
	tracks_conf.used = follows;
	streams_watched = WATCH_MOMENTS | WATCH_BYTES;
	assert_int_equal(track_module.prepare(cfg, config_data(cfg, &track_module), &err), 0);
	tracks_conf.used = false;
	config_free(&cfg);
}

static void how_many_there_are(void **state)
{
	(void)state;
	in_force("global\n tune.stick-counters 12\n", false);
	assert_int_equal(tracks_conf.count, 12);
	in_force("global\n tune.stick-counters 0\n", false);
	assert_int_equal(tracks_conf.count, 0);
	in_force("global\n", false);
	assert_int_equal(tracks_conf.count, TRACKS_USUAL);
}

static void who_tells_bytes_all_along(void **state)
{
	static const char plain[] = "listen a\n mode tcp\nlisten b\n mode tcp\n";
	static const char one[] = "listen a\n mode tcp\n option contstats\nlisten b\n mode tcp\n";

	(void)state;
	in_force(plain, true);
	assert_int_equal(streams_watched, WATCH_MOMENTS);
	in_force(one, false);
	assert_int_equal(streams_watched, WATCH_MOMENTS);
	in_force(one, true);
	assert_int_equal(streams_watched, WATCH_MOMENTS | WATCH_BYTES);
	in_force("global\n", true);
	assert_int_equal(streams_watched, WATCH_MOMENTS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(how_many_there_are),
		cmocka_unit_test(who_tells_bytes_all_along),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
