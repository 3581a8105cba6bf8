/* SPDX-License-Identifier: BSD-2-Clause */
/* monitor-uri and monitor fail (manual 4.2): the words, and the step that answers such a request
 * before any rule of HTTP sees it. Streams of frontends without the word pass the step over. */
#include "exchange/monitor.h"

#include "base/arena.h"
#include "exchange/exchange.h"
#include "exchange/reply.h"
#include "expr/acl.h"
#include "expr/watch.h"
#include "http/uri.h"
#include "proxy/proxy.h"
#include "stream/steps.h"
#include "stream/stream.h"

#include <string.h>

struct monitor_fail {
	struct monitor_fail *next;
	struct cond *cond;
	struct location loc;
};

/* The lines of a frontend. */
struct monitor_fails {
	struct monitor_fail *first, **last;
};

struct proxy_part monitor_part = { PROXY_SETTINGS("monitor-uri", struct monitor_conf),
				   .front_steps = FRONT_MONITOR };
struct proxy_part monitor_fail_part = { PROXY_PART("monitor fail", sizeof(struct monitor_fails)) };

/* -- words ------------------------------------------------------------------------------ */

static void *monitor_of(struct statement *st, void *object)
{
	return proxy_part_make(object, &monitor_part, st->cfg->arena);
}

static int parse_monitor_uri(struct statement *st, const struct keyword *kw, void *object)
{
	const char *uri = stmt_peek(st);
	struct monitor_conf *conf = object;
	struct location loc;

	conf->loc = st->loc;
	if (uri && (!*uri || uri[strcspn(uri, " \t")]))
		return stmt_error(st, st->at, "a URI has no blanks and is not empty");
	if (set_string(st, kw, object))
		return -1;
	if (*uri != '/' && !strstr(uri, "://")) {
		loc = stmt_location(st);
		config_notice(st->cfg, &loc, "no request asks for '%s': a URI begins with '/'",
			      uri);
	}
	return 0;
}

static int parse_monitor_fail(struct statement *st, const struct keyword *kw, void *object)
{
	struct monitor_fail *fail = arena_alloc(st->cfg->arena, sizeof(*fail));
	struct monitor_fails *fails;
	struct proxy *px = object;

	(void)kw;
	fail->loc = st->loc;
	if (!stmt_peek(st))
		return stmt_error(st, st->at, "'if' or 'unless' and a condition are expected");
	if (cond_parse(st, px, AT_REQUEST, "monitor fail", &fail->cond))
		return -1;
	fails = proxy_part_make(px, &monitor_fail_part, st->cfg->arena);
	*(fails->last ? fails->last : &fails->first) = fail;
	fails->last = &fail->next;
	return 0;
}

static const struct keyword monitor_keywords[] = {
	{ .name = "monitor-uri", .scope = SCOPE_FRONT, .args = "<uri>",
	  .parse = parse_monitor_uri, .within = monitor_of,
	  .offset = offsetof(struct monitor_conf, uri),
	  .help = "requests for this URI are answered at once, to tell that the proxy works" },
	{ .name = "monitor fail", .scope = SCOPE_FRONTEND, .args = "{ if | unless } <condition>",
	  .parse = parse_monitor_fail, .help = "when monitor-uri tells of a failure" },
	{ 0 },
};

const struct module monitor_module = {
	.name = "monitor",
	.keywords = monitor_keywords,
};

/* -- requests --------------------------------------------------------------------------- */

bool monitor_asked(const struct exchange *x)
{
	const char *uri = monitor_uri(x->stream->origin->frontend);
	struct span target = x->req.target;

	if (!uri)
		return false;
	if (*uri == '/')
		target = uri_path_and_query(target);
	return span_equal(target, span_of(uri));
}

static bool monitor_fails(struct stream *s)
{
	const struct proxy *px = s->origin->frontend;
	const struct monitor_conf *conf = proxy_part(px, &monitor_part);
	const struct monitor_fails *fails = proxy_part(px, &monitor_fail_part);
	const struct monitor_fail *fail;
	struct view view;
	bool holds = false;

	stream_view(s, &view, NULL);
	for (fail = fails ? fails->first : NULL; fail && !holds; fail = fail->next) {
		watch_line("monitor fail", &fail->loc, px, &view, false);
		holds = cond_eval(fail->cond, &view, AT_REQUEST | AT_FINAL) == COND_YES;
		watch_lined(holds);
	}
	watch_line("monitor-uri", &conf->loc, px, &view, false);
	watch_says("answered at once", holds ? "503" : "200");
	watch_lined(true);
	return holds;
}

/* Not logged: somebody asks every second. */
int monitor_request(struct stream *s)
{
	if (!monitor_asked(s->exchange))
		return STEP_NEXT;
	s->phase = PHASE_REQUEST;
	s->logged = true;
	reply_send_error(s->exchange, monitor_fails(s) ? 503 : 200);
	exchange_request_complete(s->exchange);
	return STEP_GOTO + REQ_FORWARD;
}
