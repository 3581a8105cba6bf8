/* SPDX-License-Identifier: BSD-2-Clause */
/* What the step tables have in common: which rows apply to a stream, what the configuration says of
 * that. The tables are in bytes.c and (HTTP) exchange/exchange_kind.c. */
#include "stream/steps.h"

#include "proxy/part.h"
#include "proxy/proxy.h"
#include "stream/kind.h"
#include "stream/subscriber.h"

const struct stream_kind *stream_of_messages;

int stream_fail(struct stream *s, enum reason reason)
{
	return s->kind->fail(s, reason);
}

const char *stream_phase_name(const struct stream *s)
{
	return s->kind->request[s->request.step].name;
}

unsigned steps_traits_of_frontend(const struct proxy *frontend)
{
	return IS_BEGUN | frontend->steps_front | (frontend->applet ? IS_LOCAL : 0);
}

unsigned steps_traits_of_backend(const struct proxy *backend, const struct proxy *frontend)
{
	return backend != frontend ? backend->steps_back :
				     backend->steps_back & ~(unsigned)(BACK_RULES | BACK_MESSAGE);
}

COLD int step_beyond(struct stream *s)
{
	BUG_ON(s->reason == END_NONE);
	return STEP_END;
}

/* -- which rows apply ------------------------------------------------------------------- */

struct step_walk step_walks[STEP_WALKS];

/* The last row needs nothing. */
static void walk_rows(uint8_t *next, const struct step *table, unsigned rows, unsigned traits)
{
	unsigned at = rows + 1;

	while (at--)
		next[at] = !table[at].run || table[at].needs & ~traits ? next[at + 1] : (uint8_t)at;
}

COLD const struct step_walk *steps_walk_make(const struct stream *s)
{
	struct step_walk *walk = &step_walks[s->traits * 0x9e3779b1u >> 28];

	walk_rows(walk->request, s->kind->request, REQ_STEPS, s->traits);
	walk_rows(walk->response, s->kind->response, RES_STEPS, s->traits);
	walk->request_steps = s->kind->request;
	walk->response_steps = s->kind->response;
	walk->traits = s->traits;
	return walk;
}

/* -- moments ---------------------------------------------------------------------------- */

unsigned steps_heard(unsigned moments)
{
	static const unsigned traits[MOMENTS] = {
		[MOMENT_REQUEST] = HEARD_REQUEST, [MOMENT_BACKEND] = HEARD_BACKEND,
		[MOMENT_RULED] = HEARD_RULED, [MOMENT_CONNECTED] = HEARD_CONNECTED,
		[MOMENT_RESPONSE] = HEARD_RESPONSE, [MOMENT_ANSWER] = HEARD_ANSWER,
	};
	unsigned all = 0, moment;

	for (; moments; moments &= moments - 1) {
		moment = (unsigned)__builtin_ctz(moments);
		all |= traits[moment] ? traits[moment] : steps_told((enum moment)moment);
	}
	return all;
}

/* -- the end of the configuration ------------------------------------------------------- */

static unsigned traits_of_front(const struct config *cfg, const struct proxy *px)
{
	return (px->request_rules ? FRONT_RULES : 0) | steps_heard(moments_of(cfg, px, false)) |
	       proxy_parts_steps(px, false) |
	       (stream_of_messages ? stream_of_messages->traits_of_front(px) : 0);
}

static unsigned traits_of_back(const struct config *cfg, const struct proxy *px)
{
	return (px->request_rules ? BACK_RULES : 0) | (px->response_rules ? RESPONSE_RULES : 0) |
	       proxy_parts_steps(px, true) | steps_heard(moments_of(cfg, px, true)) |
	       (stream_of_messages ? stream_of_messages->traits_of_back(px) : 0);
}

static void steps_need(const struct config *cfg, struct proxy *px)
{
	px->steps_front = traits_of_front(cfg, px);
	px->steps_back = traits_of_back(cfg, px);
}

static int steps_make(struct config *cfg, struct proxy *px)
{
	steps_need(cfg, px);
	return 0;
}

struct proxy_part steps_proxy_part = { .make = steps_make };

static int steps_finish(struct config *cfg, void *data)
{
	struct proxies *all = config_data(cfg, &proxy_module);
	struct proxy *px;

	(void)data;
	list_for_each(px, &all->list, node)
		steps_need(cfg, px);
	return 0;
}

/* Behind all modules that inherit rules from defaults. */
const struct module steps_module = {
	.name = "steps",
	.finish = steps_finish,
};
