/* SPDX-License-Identifier: BSD-2-Clause */
/* tcp-request content use-service: the services, the action, and the step that opens the end.
 * A stream that has one needs neither backend nor server. */
#include "stream/service.h"

#include "base/clock.h"
#include "base/kind.h"
#include "proxy/proxy.h"
#include "relay/end.h"
#include "stream/extra.h"
#include "stream/steps.h"

#include <string.h>

static struct stream_service *services;

void stream_service_add(struct stream_service *service)
{
	const struct stream_service *other;

	for (other = services; other; other = other->next)
		if (other == service)
			return;
	KIND_IS(struct stream_service, service);
	service->next = services;
	services = service;
}

static const struct stream_service *service_find(const char *name)
{
	const struct stream_service *service = services;

	while (service && strcmp(service->name, name) != 0)
		service = service->next;
	return service;
}

static int service_parse(struct statement *st, struct rule *rule, const char *args)
{
	const char *name = stmt_need(st, "the name of a service");

	(void)args;
	if (!name)
		return -1;
	rule->data = (void *)service_find(name);
	if (!rule->data)
		return stmt_error(st, st->at - 1, "there is no service '%s' for mode tcp", name);
	if (rule->proxy->set.mode == MODE_HTTP)
		return stmt_error(st, st->at - 1, "the service '%s' is one for mode tcp", name);
	return 0;
}

static int service_inherit(struct config *cfg, struct rule *copy, struct proxy *heir)
{
	if (heir->set.mode != MODE_HTTP)
		return 0;
	return config_error(cfg, &copy->loc, "'%s' has mode http, the service is one for mode tcp",
			    heir->name);
}

/* The rest of the rules and the backend are passed over. */
static enum action_result service_serve(const struct rule *rule, struct view *view, unsigned place)
{
	struct stream *s = view->stream;
	struct stream_extra *extra = extra_get(s);

	(void)place;
	if (!extra || s->exchange)
		return ACTION_ERROR;
	extra->service = KIND_OF(const struct stream_service, rule->data);
	s->traits |= HAS_SERVICE;
	return ACTION_REPLY;
}

void service_answers(struct stream *s)
{
	s->queue_ms = s->connect_ms = (uint32_t)(clock_now_ms - s->origin->accepted_ms);
}

int service_open(struct stream *s)
{
	const struct stream_service *service = s->extra->service;

	if (service->open(service, s, &s->relay.server) < 0)
		return steps_end(s, END_RESOURCE);
	service_answers(s);
	return STEP_NEXT;
}

const struct action service_actions[] = {
	{ "use-service", .final = true, .where = AT_REQUESTS, .parse = service_parse,
	  .run = service_serve, .inherit = service_inherit,
	  .help = "answers by a service in the place of a server: lua.NAME" },
	{ 0 },
};
