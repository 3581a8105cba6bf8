/* SPDX-License-Identifier: BSD-2-Clause */
/* Which answer each error gets, and what is said of lines that speak of errors and of answers. */
#include "exchange/errors.h"

#include "config/load.h"
#include "config/test_problems.h"
#include "exchange/answer.h"
#include "proxy/proxy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const unsigned handled[] = { 200, 400, 401, 403, 404, 405, 407, 408, 410, 413,
				    421, 422, 425, 429, 500, 501, 502, 503, 504 };
enum { HANDLED = sizeof(handled) / sizeof(handled[0]) };

#define FRONTEND "frontend f\n bind 127.0.0.1:1\n http-request deny\n"

static const struct error_line *newest(struct config *cfg)
{
	const struct proxies *all = config_data(cfg, &proxy_module);

	return errors_lines(proxy_find(all, "f", PROXY_FRONTEND));
}

/* "STATUS:ANSWER ..." for each status that something is said of. The answer: its own status, or
 * that of a file in brackets, "silence", "built-in". */
static void answers_are(const char *text, const char *expected)
{
	struct config *cfg = config_said(text, "");
	const struct answer *answer;
	char said[1000] = "";
	size_t len = 0;
	unsigned status;

	for (status = 100; status < 600; status++) {
		if (!errors_find(newest(cfg), status, &answer)) {
			assert_null(answer);
			continue;
		}
		len += (size_t)snprintf(said + len, sizeof(said) - len, "%s%u:", len ? " " : "",
					status);
		if (!answer)
			len += (size_t)snprintf(said + len, sizeof(said) - len, "built-in");
		else if (answer->kind == ANSWER_FILE && !answer->file)
			len += (size_t)snprintf(said + len, sizeof(said) - len, "silence");
		else if (answer->kind == ANSWER_FILE)
			len += (size_t)snprintf(said + len, sizeof(said) - len, "[%u]",
						answer->file->status);
		else
			len += (size_t)snprintf(said + len, sizeof(said) - len, "%d",
						(int)answer->status);
	}
	assert_string_equal(said, expected);
	config_free(&cfg);
}

/* ---- which one ------------------------------------------------------------------------------- */

static void these_can_have_another(void **state)
{
	unsigned status, i = 0;

	(void)state;
	for (status = 0; status < 1000; status++) {
		bool one = i < HANDLED && handled[i] == status;

		assert_int_equal(errors_handle(status), one);
		i += one;
	}
	assert_int_equal(i, HANDLED);
}

static void each_has_its_own(void **state)
{
	char text[200], expected[50];
	unsigned i;

	(void)state;
	for (i = 0; i < HANDLED; i++) {
		snprintf(text, sizeof(text), FRONTEND " errorfile %u /dev/null\n", handled[i]);
		snprintf(expected, sizeof(expected), "%u:silence", handled[i]);
		answers_are(text, expected);
		snprintf(text, sizeof(text), "http-errors s\n errorfile %u /dev/null\n" FRONTEND
			 " errorfiles s %u\n", handled[i], handled[i]);
		answers_are(text, expected);
		snprintf(text, sizeof(text), FRONTEND " http-error status %u\n", handled[i]);
		snprintf(expected, sizeof(expected), "%u:%u", handled[i], handled[i]);
		answers_are(text, expected);
	}
	answers_are(FRONTEND, "");
}

#define SECTION "http-errors s\n errorfile 200 /dev/null\n errorfile 410 /dev/null\n" \
		" errorfile 504 /dev/null\n"

static void sections_are_taken_over(void **state)
{
	(void)state;
	answers_are(SECTION FRONTEND " errorfiles s\n", "200:silence 410:silence 504:silence");
	answers_are(SECTION FRONTEND " errorfiles s 410\n", "410:silence");
	answers_are(SECTION FRONTEND " errorfiles s 200 504\n", "200:silence 504:silence");
	answers_are("http-errors t\n errorfile 403 /dev/null\n" SECTION
		    "http-errors u\n errorfile 404 /dev/null\n" FRONTEND
		    " errorfiles t\n errorfiles u\n", "403:silence 404:silence");
}

static void later_lines_hide_earlier_ones(void **state)
{
	(void)state;
	answers_are(SECTION FRONTEND " errorloc 410 /x\n errorfiles s\n",
		    "200:silence 410:silence 504:silence");
	answers_are(SECTION FRONTEND " errorfiles s\n errorloc 410 /x\n",
		    "200:silence 410:302 504:silence");
	answers_are(FRONTEND " errorloc 410 /x\n http-error status 410 default-errorfiles\n",
		    "410:built-in");
	answers_are(SECTION "defaults\n mode http\n timeout client 1s\n errorfile 503 /dev/null\n"
		    " errorloc303 502 /x\n" FRONTEND " errorfiles s\n errorloc 503 /y\n",
		    "200:silence 410:silence 502:303 503:302 504:silence");
}

static void locations_are_told(void **state)
{
	struct config *cfg = config_said(FRONTEND " errorloc303 503 http://a/\n", "");
	const struct answer *answer;
	const struct answer_field *f;

	(void)state;
	assert_true(errors_find(newest(cfg), 503, &answer));
	assert_int_equal(answer->kind, ANSWER_EMPTY);
	f = answer->fields;
	assert_true(span_equal(f->name, span_of("Cache-Control")));
	assert_true(span_equal(f->value.fixed, span_of("no-cache")));
	f = f->next;
	assert_true(span_equal(f->name, span_of("Location")));
	assert_true(span_equal(f->value.fixed, span_of("http://a/")));
	assert_null(f->next);
	config_free(&cfg);
	answers_are(FRONTEND " errorloc 500 /a\n errorloc302 502 /b\n errorloc303 504 /c\n",
		    "500:302 502:302 504:303");
}

/* ---- files ----------------------------------------------------------------------------------- */

static char path[] = "/tmp/penstock-errors-XXXXXX";

/* Of a response, as many bytes in all; 0: of two lines alone. */
static void file_has(size_t len)
{
	static const char head[] = "HTTP/1.1 418 Teapot\r\n\r\n";
	FILE *f = fopen(path, "w");
	size_t n = strlen(head);

	assert_non_null(f);
	fputs(head, f);
	for (; n < len; n++)
		putc('x', f);
	fclose(f);
}

/* A response of a file may have another status than the error. */
static void files_are_whole_responses(void **state)
{
	char text[500], expected[500];

	(void)state;
	file_has(0);
	snprintf(text, sizeof(text), FRONTEND " errorfile 503 %s\n", path);
	answers_are(text, "503:[418]");
	file_has(16384);
	answers_are(text, "503:[418]");
	file_has(16385);
	snprintf(expected, sizeof(expected),
		 "4 error: '%s' is larger than a buffer (tune.bufsize, 16384 bytes)\n", path);
	config_says(text, expected);
}

/* ---- what is said ---------------------------------------------------------------------------- */

#define NO_STATUS "is no status that is answered here: 200, 400, 401, 403, 404, 405, 407, 408, " \
		  "410, 413, 421, 422, 425, 429, 500, 501, 502, 503 and 504 are\n"

static void lines_of_errors_are_right(void **state)
{
	static const char *const lines[][2] = {
		{ "errorfile 201 /dev/null", "'201' " NO_STATUS },
		{ "errorloc 50x /", "'50x' " NO_STATUS },
		{ "errorfile 503 /nowhere/x", "cannot open '/nowhere/x': No such file or "
					      "directory\n" },
		{ "errorfile 503 /", "cannot read '/': Is a directory\n" },
		{ "errorloc 503 \"\"", "a URL has no blanks and is not empty\n" },
		{ "errorloc 503 \"a b\"", "a URL has no blanks and is not empty\n" },
		{ "http-error status 201", "status 201 is none that is answered here\n" },
		{ "http-error content-type a/b string x", "'status' is missing\n" },
		{ "errorfiles s", "there is no section 'http-errors s'\n" },
	};
	char text[200], expected[400];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		snprintf(text, sizeof(text), FRONTEND " %s\n", lines[i][0]);
		snprintf(expected, sizeof(expected), "4 error: %s", lines[i][1]);
		config_says(text, expected);
	}
	config_says(SECTION FRONTEND " errorfiles s 200 201\n", "8 error: '201' " NO_STATUS);
}

static void sections_are_there_once(void **state)
{
	(void)state;
	config_says("http-errors\n errorfile 200 /dev/null\nhttp-errors s\n errorfile 200 /dev/null\n",
		    "1 error: the name of the section expected here\n");
	config_says("http-errors s t\n", "1 error: 't' is one word too many here\n");
	config_says("http-errors s\n errorfile 200 /dev/null\nhttp-errors s\n errorfile 404 "
		    "/dev/null\n",
		    "3 error: there is a section http-errors 's' already, at test:6\n");
}

/* Of all that a section does not have each that is asked for is told. */
static void sections_have_what_is_asked_for(void **state)
{
	char text[300], expected[200];
	unsigned i;

	(void)state;
	for (i = 0; i < HANDLED; i++) {
		snprintf(text, sizeof(text), "http-errors s\n" FRONTEND " errorfiles s %u\n",
			 handled[i]);
		snprintf(expected, sizeof(expected),
			 "5 warning: the section 'http-errors s' has no answer for status %u\n",
			 handled[i]);
		config_says(text, expected);
	}
	config_says("http-errors s\n" FRONTEND " errorfiles s\n", "");
	config_says("http-errors s\nfrontend f\n bind 127.0.0.1:1\n"
		    " http-request deny deny_status 429 errorfiles s\n",
		    "4 warning: the section 'http-errors s' has no answer for status 429\n");
	config_says(SECTION "frontend f\n bind 127.0.0.1:1\n"
		    " http-request deny deny_status 410 errorfiles s\n", "");
	config_says("frontend f\n bind 127.0.0.1:1\n http-request deny deny_status 410 errorfiles "
		    "s\n",
		    "3 error: there is no section 'http-errors s'\n");
}

/* ---- answers --------------------------------------------------------------------------------- */

static void answers_are_whole(void **state)
{
	static const char *const lines[][2] = {
		{ "return status 200 content-type a/b string x", "" },
		{ "return status 200 hdr a b", "" },
		{ "return", "" },
		{ "return status 199", "error: the status must be a number from 200 to 599, not '199'\n" },
		{ "return status 600", "error: the status must be a number from 200 to 599, not '600'\n" },
		{ "return status 201 default-errorfiles",
		  "error: there is no error answer for status 201; 'string', 'file' or 'hdr' make "
		  "one\n" },
		{ "return status 204 content-type a/b string x",
		  "error: an answer of status 204 has no body\n" },
		{ "return status 200 string x",
		  "error: 'content-type' is missing: the answer has a body\n" },
		{ "return status 200 content-type a/b", "warning: not used: the answer has no "
							"body\n" },
		{ "return status 200 content-type a/b file /dev/null",
		  "warning: not used: the answer has no body\n" },
		{ "return status 200 content-type a/b errorfile /dev/null",
		  "warning: not used: the file says what it is\n" },
		{ "return status 200 string \"\"", "error at \"\": 'string' must not be empty\n" },
		{ "return status 200 content-type a/b string x string y",
		  "error: 'string' says already what the body is\n" },
		{ "return status 200 hdr content-type a/b string x content-type c/d",
		  "warning: this header does nothing: 'content-type' says what the body is\n" },
		{ "return status 200 hdr content-type a/b", "" },
		{ "return status 404 default-errorfiles hdr a b",
		  "warning at b: 'hdr' is not used: the answer is a whole response\n" },
	};
	char text[300], expected[300];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		snprintf(text, sizeof(text), "frontend f\n bind 127.0.0.1:1\n http-request %s\n",
			 lines[i][0]);
		snprintf(expected, sizeof(expected), "%s%s", *lines[i][1] ? "3 " : "", lines[i][1]);
		config_says(text, expected);
	}
}

static int begin(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	close(fd);
	return fd < 0;
}

static int end(void **state)
{
	(void)state;
	return remove(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(these_can_have_another),
		cmocka_unit_test(each_has_its_own),
		cmocka_unit_test(sections_are_taken_over),
		cmocka_unit_test(later_lines_hide_earlier_ones),
		cmocka_unit_test(locations_are_told),
		cmocka_unit_test(files_are_whole_responses),
		cmocka_unit_test(lines_of_errors_are_right),
		cmocka_unit_test(sections_are_there_once),
		cmocka_unit_test(sections_have_what_is_asked_for),
		cmocka_unit_test(answers_are_whole),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
