/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes by the form of the stats page: what is asked for, the codes of the result, and whose
 * forms are taken. Codes as the reference gave them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "check/check.h"
#include "event/timer.h"
#include "http/message.h"
#include "stats/form.h"
#include "stats/test_world.h"
#include "stream/stream.h"

#include <stdlib.h>

static struct world *w;
static struct stats_page page;
static struct page_request req;

static int set_up(void **state)
{
	(void)state;
	w = world_new();
	page = (struct stats_page){ .uri = "/" };
	page_request_init(&req, &page, w->one, span_of("/"));
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	world_free(&w);
	return 0;
}

/* In memory of just its size, for the sanitizer. */
static const char *change(const char *form)
{
	size_t len = strlen(form);
	char *body = malloc(len ? len : 1);
	const char *code;

	memcpy(body, form, len);
	code = page_change(&req, body, len);
	free(body);
	return code;
}

static void codes(void **state)
{
	static const struct {
		const char *form, *code;
	} cases[] = {
		{ "", "NONE" },
		{ "action=ready&b=be", "NONE" },
		{ "s=t2&action=ready", "NONE" },
		{ "s=t2&b=be", "NONE" },
		{ "S=t2&b=be&action=ready", "NONE" },
		{ "s=t2;b=be;action=ready", "NONE" },
		{ "s=t2&action=ready&b=be", "DONE" },
		{ "b=be&action=ready&s=t2", "DONE" },
		{ "s=t2&action=ready&b=%234", "DONE" },
		{ "s=%742&action=re%61dy&b=be&unknown=1", "DONE" },
		{ "s=t2&s=t3&s=nosuch&action=ready&b=be", "PART" },
		{ "s=nosuch&action=ready&b=be", "ERRP" },
		{ "s=t2&action=bogus&b=be", "ERRP" },
		{ "s=t2&action=&b=be", "ERRP" },
		{ "s=t2&action=ready&action=bogus&b=be", "ERRP" },
		{ "s=t2&action=ready&b=nosuch", "ERRP" },
		{ "s=t2&action=ready&b=fe", "ERRP" },
		{ "s=t2&action=ready&b=", "ERRP" },
		{ "action=bogus&b=be", "ERRP" },
		{ "s=&action=ready&b=be", "ERRP" },
		{ "b=be&action=ready&s", "ERRP" },
		{ "s=t2+&action=ready&b=be", "ERRP" },
		{ "s=t2%00&action=ready&b=be", "ERRP" },
		{ "s=%zz&action=ready&b=be", "ERRP" },
		{ "s=t2&action=dhlth&b=be", "NONE" },
		{ "s=t2&action=dagent&b=be", "NONE" },
		{ "s=t2&action=arunn&b=be", "NONE" },
		{ "s=t1&action=hdown&b=be", "NONE" },
		{ "s=t1&s=t2&action=hdown&b=be", "DONE" },
		{ "&&s=t2&&action=ready&b=be&", "DONE" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		if (strcmp(change(cases[i].form), cases[i].code))
			print_message("form: %s\n", cases[i].form);
		assert_string_equal(change(cases[i].form), cases[i].code);
	}
}

static void states(void **state)
{
	const struct server_state *st = w->t3->state;

	(void)state;
	change("b=be&s=t3&action=maint");
	assert_true(st->admin & ADMIN_FORCED_MAINT);
	change("b=be&s=t3&action=drain");
	assert_int_equal(st->admin, ADMIN_FORCED_DRAIN);
	change("b=be&s=t3&action=ready");
	assert_int_equal(st->admin, 0);
	assert_string_equal(change("b=be&s=t3&action=enable"), "NONE");
	assert_string_equal(change("b=be&s=t3&action=disable"), "DONE");
	assert_true(st->admin & ADMIN_FORCED_MAINT);
	assert_string_equal(change("b=be&s=t3&action=enable"), "DONE");
	change("b=be&s=t3&action=stop");
	assert_int_equal(st->admin, ADMIN_FORCED_DRAIN);
	change("b=be&s=t3&action=start");
	assert_int_equal(st->admin, 0);
	change("b=be&s=t3&action=hdown");
	assert_int_equal(st->op, SERVER_DOWN);
	change("b=be&s=t3&action=hrunn");
	assert_int_equal(st->op, SERVER_UP);
	change("b=be&s=t3&action=hnolb");
	assert_int_equal(st->op, SERVER_STOPPING);
	assert_string_equal(change("b=one&s=s1&action=dhlth"), "DONE");
	assert_true(w->s1->state->check.paused);
	change("b=one&s=s1&action=ehlth");
	assert_false(w->s1->state->check.paused);
}

static const struct server *ended;
static enum reason why;

static void note_end(const struct server *server, enum reason reason)
{
	ended = server;
	why = reason;
}

static void sessions_are_ended(void **state)
{
	(void)state;
	streams_end_others = note_end;
	assert_string_equal(change("b=be&s=t3&action=shutdown"), "DONE");
	streams_end_others = NULL;
	assert_ptr_equal(ended, w->t3);
	assert_int_equal(why, END_KILLED);
	assert_int_equal(w->t3->state->admin, 0);
}

/* What is not there cannot be changed. */
static void agents_and_checks(void **state)
{
	static struct check agent;

	(void)state;
	assert_string_equal(change("b=be&s=t3&action=dhlth"), "NONE");
	assert_string_equal(change("b=be&s=t3&action=ehlth"), "NONE");
	assert_string_equal(change("b=be&s=t3&action=dagent"), "NONE");
	assert_string_equal(change("b=be&s=t3&action=eagent"), "NONE");
	assert_string_equal(change("b=be&s=t3&action=adown"), "NONE");
	agent.server = w->t3;
	timer_init(&agent.timer, NULL);
	server_part_set(w->t3, &check_agent_part, &agent);
	assert_string_equal(change("b=be&s=t3&action=dagent"), "DONE");
	assert_true(w->t3->state->agent.paused);
	assert_string_equal(change("b=be&s=t3&action=eagent"), "DONE");
	assert_false(w->t3->state->agent.paused);
	assert_string_equal(change("b=be&s=t3&action=adown"), "DONE");
	assert_true(w->t3->state->agent_down);
	assert_string_equal(change("b=be&s=t3&action=arunn"), "DONE");
	assert_false(w->t3->state->agent_down);
	timer_cancel(&agent.timer);
}

/* Another process hears of it as "action", NUL, "backend/server", NUL. */
static void heard(const char *bytes, size_t len, const char *error)
{
	struct err err = { "" };

	assert_int_equal(page_change_kind.apply(bytes, len, NULL, &err), *error ? -1 : 0);
	assert_string_equal(err.text, error);
}

static void changes_of_another_process(void **state)
{
	(void)state;
	heard("maint\0be/t3", 12, "");
	assert_int_equal(w->t3->state->admin, ADMIN_FORCED_MAINT);
	heard("ready\0be/t3", 12, "");
	assert_int_equal(w->t3->state->admin, 0);
	heard("maint\0be/t3", 11, "a broken change");
	heard("nosuch\0be/t3", 13, "a broken change");
	heard("maint", 5, "a broken change");
	heard("", 0, "a broken change");
	assert_int_equal(page_change_kind.apply("maint\0be/t9", 12, NULL, &(struct err){ "" }), -1);
	assert_int_equal(w->t3->state->admin, 0);
}

static void all_servers(void **state)
{
	(void)state;
	assert_string_equal(change("b=be&s=*&action=maint"), "DONE");
	assert_true(w->t1->state->admin & ADMIN_FORCED_MAINT);
	assert_true(w->t3->state->admin & ADMIN_FORCED_MAINT);
	assert_int_equal(w->s1->state->admin, 0);
}

/* What the page does not show cannot be changed through it. */
static void hidden_backends(void **state)
{
	struct stats_scope dot = { NULL, "." };

	(void)state;
	page.scopes = &dot;
	assert_string_equal(change("b=be&s=t3&action=maint"), "ERRP");
	assert_string_equal(change("b=one&s=s1&action=maint"), "DONE");
	assert_int_equal(w->t3->state->admin, 0);
}

/* -- whose form ------------------------------------------------------------------------------ */

static bool ours(const char *host, const char *name, const char *value)
{
	struct field fields[2];
	struct message msg;

	message_init(&msg, false, fields, 2);
	msg.host = span_of(host);
	if (name) {
		fields[0] = (struct field){ .name = span_of(name), .value = span_of(value),
					    .id = (uint8_t)field_id(span_of(name)) };
		msg.count = 1;
	}
	return page_form_is_ours(&msg);
}

static void forms_of_others(void **state)
{
	(void)state;
	assert_true(ours("lb:80", NULL, NULL));
	assert_true(ours("lb:80", "Sec-Fetch-Site", "same-origin"));
	assert_true(ours("lb:80", "Sec-Fetch-Site", "none"));
	assert_false(ours("lb:80", "Sec-Fetch-Site", "same-site"));
	assert_false(ours("lb:80", "Sec-Fetch-Site", "cross-site"));
	assert_true(ours("lb:80", "Origin", "http://lb:80"));
	assert_true(ours("lb", "Origin", "https://LB"));
	assert_false(ours("lb:80", "Origin", "http://lb"));
	assert_false(ours("lb", "Origin", "http://lb.evil.example"));
	assert_false(ours("null", "Origin", "null"));
	assert_false(ours("lb", "Origin", ""));
	assert_true(ours("lb", "Referer", "http://lb/stats;up"));
	assert_false(ours("lb", "Referer", "http://evil.example/lb"));
	assert_false(ours("lb", "Referer", "/lb"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(codes),
		TEST(states),
		TEST(sessions_are_ended),
		TEST(agents_and_checks),
		TEST(changes_of_another_process),
		TEST(all_servers),
		TEST(hidden_backends),
		TEST(forms_of_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
