/* SPDX-License-Identifier: BSD-2-Clause */
/* Filters that hear moments for tests (exchange/test_heard.h). */
#include "exchange/test_heard.h"

#include "base/pool.h"
#include "exchange/exchange.h"
#include "exchange/reply.h"
#include "proxy/proxy.h"
#include "stream/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static const char *const names[MOMENTS] = {
	[MOMENT_BEGUN] = "BEGUN", [MOMENT_REQUEST] = "REQUEST", [MOMENT_BACKEND] = "BACKEND",
	[MOMENT_RULED] = "RULED", [MOMENT_CONNECTED] = "CONNECTED", [MOMENT_SENT] = "SENT",
	[MOMENT_RESPONSE] = "RESPONSE", [MOMENT_ANSWER] = "ANSWER",
	[MOMENT_ANSWERED] = "ANSWERED",
};
const enum moment asked_at[ASKED_AT] = { MOMENT_REQUEST, MOMENT_BACKEND, MOMENT_RULED,
					 MOMENT_CONNECTED, MOMENT_RESPONSE, MOMENT_ANSWER };
struct hearing hearing;

static void hear_add(const char *line, const char *text)
{
	size_t len = strlen(hearing.all);

	snprintf(hearing.all + len, sizeof(hearing.all) - len, "%s%s%s", len ? " " : "", line,
		 text);
}

static void fake_begin(struct filter *f)
{
	(void)f;
	hearing.states++;
}

static void fake_end(struct filter *f)
{
	hear_add(f->line->data, "ENDED");
	hearing.states--;
}

static enum moment_said fake_hear(struct filter *f, enum moment moment)
{
	const char *line = f->line->data;
	struct stream *s = stream_of(f->set->relay);

	hear_add(line, names[moment]);
	if (hearing.what == SAID_GOES_ON || *line != hearing.who || moment != hearing.when)
		return SAID_GOES_ON;
	if (hearing.answers)
		exchange_reply(s->exchange, reply_new(s->exchange, 299, NULL, span_of("")));
	return hearing.what;
}

static struct pool fake_pool = POOL_INIT("fake", sizeof(struct filter));

static int fake_parse(struct statement *st, struct proxy *px, struct filter_line *line)
{
	(void)px;
	line->data = st->words[st->at - 1].text + strlen("lua.");
	return 0;
}

static const struct filter_kind fake_kind = {
	.name = "lua",
	.parse = fake_parse,
	.pool = &fake_pool,
	.moments = (1u << MOMENTS) - 1,
	.hear = fake_hear,
	.begin = fake_begin,
	.end = fake_end,
};

void heard_begin(void)
{
	filter_script_kind = &fake_kind;
}

void heard_end(void)
{
	filter_script_kind = NULL;
}

void says(char line, enum moment moment, enum moment_said said)
{
	hearing.all[0] = 0;
	hearing.who = line;
	hearing.when = moment;
	hearing.what = said;
	hearing.answers = false;
}

const char *heard_by(char line)
{
	static char own[sizeof(hearing.all)];
	char all[sizeof(hearing.all)], *word, *rest = all;

	own[0] = 0;
	memcpy(all, hearing.all, sizeof(all));
	while ((word = strsep(&rest, " ")))
		if (*word == line)
			sprintf(own + strlen(own), "%s%s", own[0] ? " " : "", word + 1);
	return own;
}

unsigned times_heard(char line, enum moment moment)
{
	const char *at = heard_by(line);
	unsigned n = 0;

	for (; (at = strstr(at, names[moment])); at++)
		n += at[strlen(names[moment])] == ' ' || !at[strlen(names[moment])];
	return n;
}

void waits_at(unsigned i)
{
	assert_int_equal(times_heard('a', asked_at[i]), 1);
	while (++i < ASKED_AT)
		assert_int_equal(times_heard('a', asked_at[i]), 0);
}
