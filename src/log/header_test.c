/* SPDX-License-Identifier: BSD-2-Clause */
/* Headers and dates against what the reference printed for the same second. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "log/date.h"
#include "log/header.h"

#include <stdlib.h>
#include <time.h>

enum { WHEN = 1795225787 }; /* 2026-11-21 01:49:47 UTC */

static void check_header(enum log_format format, const char *hostname, const char *expected)
{
	struct log_header h = { .format = format, .facility = 16, .level = LOG_L_INFO,
				.now = { WHEN, 897543 }, .hostname = hostname, .tag = "haproxy",
				.pid = 26400 };
	char memory[200];
	struct text t;

	text_init(&t, memory, sizeof(memory));
	log_header_write(&t, &h);
	assert_string_equal(memory, expected);
}

static void formats(void **state)
{
	(void)state;
	check_header(LOG_FMT_LOCAL, NULL, "<134>Nov 21 01:49:47 haproxy[26400]: ");
	check_header(LOG_FMT_LOCAL, "vm", "<134>Nov 21 01:49:47 haproxy[26400]: ");
	check_header(LOG_FMT_RFC3164, NULL, "<134>Nov 21 01:49:47 localhost haproxy[26400]: ");
	check_header(LOG_FMT_RFC3164, "vm", "<134>Nov 21 01:49:47 vm haproxy[26400]: ");
	check_header(LOG_FMT_RFC5424, NULL,
		     "<134>1 2026-11-21T01:49:47.897543+00:00 - haproxy 26400 - ");
	check_header(LOG_FMT_RFC5424, "vm",
		     "<134>1 2026-11-21T01:49:47.897543+00:00 vm haproxy 26400 - ");
	check_header(LOG_FMT_PRIORITY, "vm", "<134>");
	check_header(LOG_FMT_SHORT, "vm", "<6>");
	check_header(LOG_FMT_TIMED, "vm", "<6>2026-11-21T01:49:47.897543+00:00 ");
	check_header(LOG_FMT_ISO, "vm", "2026-11-21T01:49:47.897543+00:00 ");
	check_header(LOG_FMT_RAW, "vm", "");
}

static void names_match_numbers(void **state)
{
	(void)state;
	assert_string_equal(log_format_names[LOG_FMT_RFC5424], "rfc5424");
	assert_string_equal(log_format_names[LOG_FMT_RAW], "raw");
	assert_null(log_format_names[LOG_FMT_DEFAULT]);
	assert_string_equal(log_level_names[LOG_L_WARNING], "warning");
	assert_string_equal(log_level_names[LOG_L_DEBUG], "debug");
	assert_string_equal(log_facility_names[3], "daemon");
	assert_string_equal(log_facility_names[16], "local0");
	assert_string_equal(log_facility_names[23], "local7");
	assert_null(log_facility_names[24]);
}

static void day_is_padded_with_a_blank(void **state)
{
	(void)state;
	assert_string_equal(date_of(1793523600)->syslog, "Nov  1 09:00:00");
	assert_string_equal(date_of(1793523600)->local, "01/Nov/2026:09:00:00");
}

static void time_zone(void **state)
{
	(void)state;
	setenv("TZ", "XYZ-5:30", 1);
	tzset();
	assert_string_equal(date_of(WHEN + 1)->local, "21/Nov/2026:07:19:48");
	assert_string_equal(date_of(WHEN + 1)->gmt, "21/Nov/2026:01:49:48");
	assert_string_equal(date_of(WHEN + 1)->zone, "+0530");
	assert_string_equal(date_of(WHEN + 1)->iso_zone, "+05:30");
	assert_string_equal(date_of(WHEN + 1)->syslog, "Nov 21 07:19:48");
	setenv("TZ", "XYZ3", 1);
	tzset();
	assert_string_equal(date_of(WHEN + 2)->zone, "-0300");
	assert_string_equal(date_of(WHEN + 2)->iso, "2026-11-20T22:49:49");
	setenv("TZ", "UTC", 1);
	tzset();
}

/* The second of the accept and that of the line take turns in each line. */
static void two_seconds_live_side_by_side(void **state)
{
	const struct date *accept = date_of(WHEN + 10), *now = date_of(WHEN + 13);

	(void)state;
	assert_string_equal(accept->local, "21/Nov/2026:01:49:57");
	assert_string_equal(now->local, "21/Nov/2026:01:50:00");
	assert_ptr_equal(date_of(WHEN + 10), accept);
}

static void long_tag_is_cut(void **state)
{
	struct log_header h = { .format = LOG_FMT_LOCAL, .now = { WHEN, 0 },
				.tag = "a-very-long-name-of-a-program" };
	char memory[32];
	struct text t;

	(void)state;
	text_init(&t, memory, sizeof(memory));
	log_header_write(&t, &h);
	assert_true(t.cut);
	assert_string_equal(memory, "<0>Nov 21 01:49:47 a-very-long-");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats),
		cmocka_unit_test(names_match_numbers),
		cmocka_unit_test(day_is_padded_with_a_blank),
		cmocka_unit_test(time_zone),
		cmocka_unit_test(two_seconds_live_side_by_side),
		cmocka_unit_test(long_tag_is_cut),
	};

	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
