/* SPDX-License-Identifier: BSD-2-Clause */
/* The stats page: what a request asks for, and the HTML, on a world made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "check/check.h"
#include "proxy/part.h"
#include "stats/history.h"
#include "stats/html_page.h"
#include "stats/report.h"
#include "stats/test_world.h"

#include <stdio.h>
#include <stdlib.h>

static char said[1 << 23];
static struct world *w;
static struct stats_page page;
static bool admin;

static int set_up(void **state)
{
	(void)state;
	w = world_new();
	w->one->set.mode = w->fe->set.mode = MODE_HTTP;
	page = (struct stats_page){ .uri = "/stats" };
	admin = false;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	world_free(&w);
	return 0;
}

static bool say(void *state, struct text *out, bool resumed)
{
	return html_say(state, out, resumed);
}

static struct page_request request(const char *uri)
{
	struct page_request req;

	assert_true(page_wants(&page, span_of(uri)));
	page_request_init(&req, &page, w->one, span_of(uri));
	req.admin = admin;
	strcpy(req.nonce, "NONCE");
	return req;
}

static const char *ask_by(const char *uri, size_t size)
{
	static struct report r;
	static struct html h;
	struct page_request req = request(uri);
	size_t len = 0, n;
	struct text more;

	html_init(&h, &req);
	report_init(&r, say, &h);
	do {
		n = report_fill(&r, said + len, size);
		len += n;
		assert_true(len + size < sizeof(said));
	} while (n || !r.done);
	said[len] = 0;
	text_init(&more, said + len, sizeof(said) - len);
	assert_false(html_say(&h, &more, false)); /* it has ended, and stays so */
	assert_int_equal(more.len, 0);
	return said;
}

static const char *ask(const char *uri)
{
	return ask_by(uri, 16384);
}

static void has(const char *text)
{
	if (!strstr(said, text))
		print_message("missing: %s\n", text);
	assert_non_null(strstr(said, text));
}

static void lacks(const char *text)
{
	if (strstr(said, text))
		print_message("not expected: %s\n", text);
	assert_null(strstr(said, text));
}

/* -- requests -------------------------------------------------------------------------------- */

static void uri_is_a_prefix(void **state)
{
	(void)state;
	assert_true(page_wants(&page, span_of("/stats")));
	assert_true(page_wants(&page, span_of("/statsfoo;csv")));
	assert_false(page_wants(&page, span_of("/stat")));
	assert_false(page_wants(&page, span_of("/Stats")));
	page.uri = "/haproxy?stats";
	assert_true(page_wants(&page, span_of("/haproxy?stats;csv")));
	assert_false(page_wants(&page, span_of("/haproxy")));
}

static void options_of_a_request(void **state)
{
	struct page_request req =
		request("/stats;csv;up;norefresh;no-maint;trouble;state=going_up;"
			"st=DONE?scope=be.1");

	(void)state;
	assert_int_equal(req.form, PAGE_CSV);
	assert_int_equal(req.options, STAT_UP | STAT_NO_MAINT);
	assert_true(req.norefresh);
	assert_true(req.trouble);
	assert_string_equal(req.state, "going_up");
	assert_string_equal(request("/stats;state=<b>").state, "");
	assert_string_equal(request("/stats;state=abcdefghijk").state, "");
	assert_string_equal(req.result, "DONE");
	assert_string_equal(req.scope, "be.1");
	assert_int_equal(request("/stats;json").form, PAGE_JSON);
	assert_int_equal(request("/stats;json-schema").form, PAGE_SCHEMA);
	assert_int_equal(request("/stats;up;typed").form, PAGE_TYPED);
	assert_int_equal(request("/statscsv").form, PAGE_HTML);
	assert_int_equal(request("/stats%3bcsv").form, PAGE_CSV);
	assert_string_equal(request("/stats&x=1&scope=t").scope, "t");
	assert_string_equal(request("/stats;st=nonsense").result, "UNKN");
	assert_string_equal(request("/stats?scope=<b>").scope, "");
	assert_string_equal(request("/stats?scope=a%00b").scope, "");
	assert_int_equal(request("/stats%zz;csv").form, PAGE_HTML);
	page.flags = PAGE_LEGENDS;
	assert_int_equal(request("/stats").options, STAT_LEGENDS);
}

static void links_keep_what_was_asked(void **state)
{
	struct page_request req = request("/stats;up;norefresh;trouble;state=up;csv;"
					      "st=DONE?scope=be");
	struct page_link link = page_link(&req);
	char memory[256];
	struct text out;

	(void)state;
	text_init(&out, memory, sizeof(memory));
	page_say_link(&req, link, &out);
	assert_string_equal(memory, "/stats;up;norefresh;trouble;state=up?scope=be");
	page.uri = "/a?stats";
	link.form = "csv";
	link.result = "NONE";
	text_init(&out, memory, sizeof(memory));
	page_say_link(&req, link, &out);
	assert_string_equal(memory, "/a?stats;csv;st=NONE;up;norefresh;trouble;state=up&scope=be");
}

/* -- the page -------------------------------------------------------------------------------- */

static void page_shows_everything(void **state)
{
	(void)state;
	w->one->fe->counters.sessions = 1234567;
	w->s1->tally->counters.bytes_in = 1234567890;
	w->s1->tally->counters.responses_5xx = 17;
	w->s1->tally->times.queue.max = 4711;
	w->t2->state->admin = ADMIN_FORCED_DRAIN;
	ask("/stats");
	has("<section id=\"one\">");
	has("id=\"one/Frontend\">");
	has("id=\"one/+sockone\">");
	has("id=\"one/s1\">");
	has("id=\"be/Backend\">");
	has("1<i>234</i><i>567</i>");
	has("1.23 GB");
	has("1<i>234</i><i>567</i><i>890</i>");
	has("<td>17");
	lacks("<td class=bad>");
	has("4<i>711</i> / 0");
	has("<tr class=\"S up\" id=\"one/s1\">");
	has("<tr class=\"S up backup\" id=\"one/s2\">");
	has("<tr class=\"S down\" id=\"one/s3\">");
	has("<tr class=\"S maint\" id=\"one/s4\">");
	has("<tr class=\"S drain\" id=\"be/t2\">");
	has("<tr class=\"S no_check\" id=\"be/t3\">");
	has("<a href=\"#one/s3\">one/s3</a>");
	has("L4CON");
	has("Connection refused");
	has("via <a href=\"#one/s1\">one/s1</a>");
	has("Penstock <small>");
	lacks("127.0.0.1");
	lacks("<form method=post");
	lacks("<input type=checkbox");
	lacks("lb-test");
	has("<script nonce=\"NONCE\" data-refresh=0>");
	lacks("style=\"");
	lacks("onclick=\"");
	has("<a href=\"/stats\">Refresh now</a>");
	has("<a href=\"/stats;csv\">CSV</a>");
	has("<a href=\"/stats;json\">JSON</a>");
	has("<a href=\"/stats;json-schema\">Schema</a>");
	lacks("Stop refreshing");
	lacks("Refresh by itself");
}

static void words_of_the_page(void **state)
{
	(void)state;
	page.flags = PAGE_NODE | PAGE_DESC | PAGE_LEGENDS | PAGE_HIDE_VERSION;
	page.node = "lb-test";
	page.desc = "for <tests>";
	page.refresh_ms = 5000;
	w->fe->description = "entrance & exit";
	ask("/stats");
	has("<b>lb-test</b>");
	has("for &lt;tests&gt;");
	has("entrance &amp; exit");
	has("127.0.0.1:29001");
	has("leastconn");
	has("<a href=\"/stats;norefresh\">Stop refreshing</a>");
	has("<noscript><meta http-equiv=refresh content=5></noscript>");
	has("data-refresh=5>");
	has("<a href=\"/stats;csv;norefresh\">CSV</a>");
	has("<a href=\"/stats;json;norefresh\">JSON</a>");
	lacks("Penstock <small>");
	ask("/stats;norefresh");
	has("<a href=\"/stats\">Refresh by itself</a>");
	lacks("<noscript>");
	has("data-refresh=0>");
}

static void column_of_modules(void **state)
{
	(void)state;
	w->s1->tally->counters.bytes_in = 1000;
	w->s1->tally->counters.bytes_out = 3000;
	w->s1->tally->counters.bytes_spliced = 2000;
	ask("/stats");
	lacks(">relay");
	lacks(">h2<");
	page.flags = PAGE_MODULES;
	ask("/stats");
	has("Through pipes<td>2<i>000</i><td>50%");
}

static void what_is_shown(void **state)
{
	struct stats_scope dot = { NULL, "." }, empty = { &dot, "empty" };

	(void)state;
	ask("/stats;up");
	lacks("id=\"one/s3\"");
	lacks("id=\"one/s4\"");
	has("id=\"one/s1\"");
	ask("/stats;no-maint");
	has("id=\"one/s3\"");
	lacks("id=\"one/s4\"");
	ask("/stats?scope=BE");
	has("<section id=\"be\">");
	lacks("<section id=\"one\">");
	page.scopes = &empty;
	ask("/stats");
	has("<section id=\"one\">");
	has("<section id=\"empty\">");
	lacks("<section id=\"be\">");
	ask("/stats?scope=be");
	lacks("<section id=");
}

/* The name of a server finds it alone; so do states, and what wants attention. */
static void rows_that_are_asked_for(void **state)
{
	(void)state;
	w->t2->state->admin = ADMIN_FORCED_DRAIN;
	ask("/stats?scope=S3");
	has("id=\"one/s3\"");
	lacks("id=\"one/s1\"");
	lacks("id=\"one/Backend\"");
	lacks("<section id=\"be\">");
	ask("/stats;state=drain");
	has("id=\"be/t2\"");
	has("aria-current=true title=\"show all\"><b class=drain>1 DRAIN</b>");
	lacks("id=\"be/t3\"");
	lacks("<section id=\"one\">");
	ask("/stats;state=nonsense");
	lacks("<section id=");
	ask("/stats;trouble");
	has("id=\"one/s3\"");
	lacks("id=\"one/s1\"");
	lacks("id=\"be/t2\"");
	has("<a href=\"/stats\">Show all</a>");
	w->s1->tally->queued = 3;
	ask("/stats;trouble");
	has("id=\"one/s1\"");
	has("<td class=\"t l bad\" tabindex=0>3");
}

static void frontends_share_a_table(void **state)
{
	(void)state;
	ask("/stats");
	has("<section id=\"+frontends\">");
	has("<span id=\"fe\"></span><a href=\"#fe/Frontend\">fe</a> <small>http</small>");
	lacks("<section id=\"fe\">");
	assert_true(strstr(said, "id=\"fe/Frontend\"") < strstr(said, "<section id=\"one\">"));
}

static void curves_of_requests(void **state)
{
	struct history h;

	(void)state;
	lacks("<svg");
	history_begin(&h, 0, 0);
	history_add(&h, 10, 0, 1);
	history_add(&h, 20, 1, 1);
	proxy_part_set(w->fe, &history_proxy_part, &h);
	w->fe->fe->counters.responses_5xx = 4;
	ask("/stats");
	has("<svg class=\"h bad\"");
	has("<td class=bad title=\"some within the last minute\">4");
	ask("/stats;trouble");
	has("id=\"fe/Frontend\"");
	proxy_part_set(w->fe, &history_proxy_part, NULL);
}

static void changes_only_for_admins(void **state)
{
	char policy[512];
	struct page_request req;
	struct text out;

	(void)state;
	admin = true;
	ask("/stats;up?scope=one");
	has("<form method=post action=\"/stats;up?scope=one\">");
	has("<input type=checkbox name=s aria-label=Change value=\"s1\"");
	has("<input type=hidden name=b value=\"#2\">");
	has("<option value=\"shutdown\">");
	ask("/stats?scope=fe");
	lacks("<form method=post");
	req = request("/stats");
	text_init(&out, policy, sizeof(policy));
	html_say_policy(&req, &out);
	assert_non_null(strstr(policy, "default-src 'none'; style-src 'nonce-NONCE'"));
	assert_non_null(strstr(policy, "script-src 'nonce-NONCE'; connect-src 'self';"));
	assert_null(strstr(policy, "unsafe"));
	assert_non_null(strstr(policy, "frame-ancestors 'none'"));
}

static void results_are_shown(void **state)
{
	(void)state;
	ask("/stats;st=DONE;up");
	has("<div class=\"note up\"");
	has("href=\"/stats;up\">✕</a>The servers were changed.");
	ask("/stats;st=DENY");
	has("That is not allowed.");
	ask("/stats;st=x");
	has("The result is not known.");
	ask("/stats");
	lacks("class=\"note");
}

/* A browser replaces the query by the fields of a form. */
static void filter_keeps_the_query(void **state)
{
	(void)state;
	page.uri = "/x?a=1&st\"ats";
	ask("/x?a=1&st\"ats;up");
	has("<form action=\"/x\"><input type=hidden name=\"a\" value=\"1\">"
	    "<input type=hidden name=\"st&quot;ats;up\" value=\"\">");
	page.uri = "/stats";
	ask("/stats;up");
	has("<form action=\"/stats;up\"><input type=search");
}

static void names_are_escaped(void **state)
{
	(void)state;
	w->s1->id = "<script>\"'&";
	ask("/stats");
	has("&lt;script&gt;&quot;&#39;&amp;");
	lacks("<script>");
}

/* The longest names that a row can have fit into a piece. */
static void long_names(void **state)
{
	char *name = malloc(2000);

	(void)state;
	memset(name, '"', 1999);
	name[1999] = 0;
	w->s1->id = w->one->name = w->one->description = name;
	admin = true;
	page.flags = PAGE_LEGENDS;
	assert_non_null(strstr(ask("/stats"), "</footer>"));
	free(name);
}

static void any_size_of_buffer(void **state)
{
	static const size_t sizes[] = { 1, 1000, 16383, 16384, 65536 };
	char *whole;

	(void)state;
	whole = strdup(ask("/stats"));
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		ask_by("/stats", sizes[i]);
		/* The share of idle time may differ. */
		assert_int_equal(strlen(said) / 16, strlen(whole) / 16);
		assert_string_equal(strstr(said, "<section"), strstr(whole, "<section"));
	}
	free(whole);
}

static void servers_that_go_away(void **state)
{
	static struct report r;
	static struct html h;
	struct proxy *many = world_add_many(w, 1000);
	struct page_request req = request("/stats");
	size_t n, pieces = 0;

	(void)state;
	html_init(&h, &req);
	report_init(&r, say, &h);
	while ((n = report_fill(&r, said, 16384)) || !r.done) {
		if (pieces++ != 6)
			continue;
		for (struct server *s = many->servers, *next; s; s = next) {
			next = s->next;
			memset(s, 0xa5, sizeof(*s));
		}
		many->servers = NULL;
	}
	assert_true(pieces > 7);
}

static void numbers(void **state)
{
	static const struct {
		uint64_t n;
		const char *number, *bytes, *small;
	} cases[] = {
		{ 0, "0", "0 B", "0" },
		{ 999, "999", "999 B", "999" },
		{ 1000, "1<i>000</i>", "1.00 kB", "1<i>000</i>" },
		{ 9994, "9<i>994</i>", "9.99 kB", "9<i>994</i>" },
		{ 9995, "9<i>995</i>", "10.0 kB", "9<i>995</i>" },
		{ 99949, "99<i>949</i>", "99.9 kB", "99<i>949</i>" },
		{ 99950, "99<i>950</i>", "100 kB", "99<i>950</i>" },
		{ 99999, "99<i>999</i>", "100 kB", "99<i>999</i>" },
		{ 100000, "100<i>000</i>", "100 kB", "100k" },
		{ 999499, "999<i>499</i>", "999 kB", "999k" },
		{ 999500, "999<i>500</i>", "1.00 MB", "1.00M" },
		{ 12340000, "12<i>340</i><i>000</i>", "12.3 MB", "12.3M" },
		{ 1234567890, "1<i>234</i><i>567</i><i>890</i>", "1.23 GB", "1.23G" },
		{ 4321000000000, "4<i>321</i><i>000</i><i>000</i><i>000</i>", "4.32 TB", "4.32T" },
		{ 999400000000000000, "999<i>400</i><i>000</i><i>000</i><i>000</i><i>000</i>",
		  "999 PB", "999P" },
		{ UINT64_MAX, "18<i>446</i><i>744</i><i>073</i><i>709</i><i>551</i><i>615</i>",
		  "18.4 EB", "18.4E" },
	};
	char memory[128];
	struct text out;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		text_init(&out, memory, sizeof(memory));
		html_number(&out, cases[i].n);
		assert_string_equal(memory, cases[i].number);
		text_init(&out, memory, sizeof(memory));
		html_bytes(&out, cases[i].n);
		assert_string_equal(memory, cases[i].bytes);
		text_init(&out, memory, sizeof(memory));
		html_short(&out, cases[i].n);
		assert_string_equal(memory, cases[i].small);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(uri_is_a_prefix),
		TEST(options_of_a_request),
		TEST(links_keep_what_was_asked),
		TEST(page_shows_everything),
		TEST(words_of_the_page),
		TEST(column_of_modules),
		TEST(what_is_shown),
		TEST(rows_that_are_asked_for),
		TEST(frontends_share_a_table),
		TEST(curves_of_requests),
		TEST(changes_only_for_admins),
		TEST(results_are_shown),
		TEST(filter_keeps_the_query),
		TEST(names_are_escaped),
		TEST(long_names),
		TEST(any_size_of_buffer),
		TEST(servers_that_go_away),
		TEST(numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
