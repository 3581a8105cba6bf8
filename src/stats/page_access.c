/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who may have the stats page, and how it gets to him: called between the http-request rules and
 * the redirect lines of each proxy (hook of exchange/http_rules.h), and by the rule "use-service
 * prometheus-exporter". Refuses by itself; otherwise the stream gets an end that answers.
 */
#include "stats/page_conf.h"

#include "base/arena.h"
#include "exchange/exchange.h"
#include "exchange/http_action.h"
#include "exchange/http_rules.h"
#include "exchange/http_service.h"
#include "exchange/reply.h"
#include "expr/watch.h"
#include "http/uri.h"
#include "net/listener.h"
#include "proxy/proxy.h"
#include "stats/form.h"
#include "stats/metrics.h"
#include "stats/service.h"
#include "stats/service_end.h"
#include "stream/service.h"
#include "stream/stream.h"

#include <strings.h>
#include <sys/random.h>

/* -- 401 ------------------------------------------------------------------------------------- */

/* Asks for a password. */
static void access_ask(struct exchange *x, const char *realm)
{
	struct reply *reply = reply_error(x, 401);
	const char *challenge;

	if (!reply) {
		reply_send_error(x, 401);
		return;
	}
	challenge = reply_challenge(x->arena, realm);
	if (challenge)
		reply_add(x, reply, span_of("www-authenticate"), span_of(challenge));
	exchange_reply(x, challenge ? reply : NULL);
}

/* What stands behind "Basic " in the request; ptr NULL: nothing. */
static struct span access_credentials(const struct message *msg)
{
	unsigned at = 0;
	const struct field *f = message_find(msg, span_of("authorization"), &at);
	struct span value;

	if (!f || f->value.len < 6 || strncasecmp(f->value.ptr, "basic ", 6) != 0)
		return (struct span){ NULL, 0 };
	value = (struct span){ f->value.ptr + 6, f->value.len - 6 };
	while (value.len && *value.ptr == ' ') {
		value.ptr++;
		value.len--;
	}
	return value;
}

/* Takes as long however many characters agree. */
static bool access_same(struct span given, const char *wanted)
{
	size_t len = strlen(wanted);
	unsigned char differ = given.len != len;

	for (size_t i = 0; i < given.len && len; i++)
		differ |= (unsigned char)(given.ptr[i] ^ wanted[i % len]);
	return !differ;
}

static bool access_known(const struct stats_page *page, const struct message *msg)
{
	struct span given = access_credentials(msg);
	bool known = false;

	if (!given.ptr)
		return false;
	for (const struct stats_user *u = page->users; u; u = u->next)
		known |= access_same(given, u->credentials);
	return known;
}

/* -- actions of stats http-request ----------------------------------------------------------- */

static enum action_result action_deny(const struct rule *rule, struct view *view, unsigned place)
{
	struct exchange *x = action_exchange(view);
	struct stream *s = x->stream;

	(void)rule;
	(void)place;
	s->origin->frontend->fe->counters.denied_requests++;
	if (s->origin->listener->tally)
		origin_counters(s->origin)->denied_requests++;
	if (s->backend)
		s->backend->be->counters.denied_requests++;
	x->reason = END_DENIED;
	x->phase = s->phase;
	reply_send_error(x, 403);
	return ACTION_REPLY;
}

static int parse_auth(struct statement *st, struct rule *rule, const char *args)
{
	const char *realm = "HAProxy Statistics";

	(void)args;
	if (stmt_take(st, "realm")) {
		realm = stmt_need(st, "the realm");
		if (!realm)
			return -1;
	}
	rule->data = (void *)(uintptr_t)realm;
	return 0;
}

static enum action_result action_auth(const struct rule *rule, struct view *view, unsigned place)
{
	(void)place;
	access_ask(action_exchange(view), rule->data);
	return ACTION_REPLY;
}

const struct action page_actions[] = {
	{ "allow", .final = true, .where = AT_REQUESTS, .run = http_action_allow,
	  .help = "the client may see the stats page" },
	{ "deny", .final = true, .refuses = true, .where = AT_REQUESTS, .run = action_deny,
	  .help = "the client may not see the stats page" },
	{ "auth", .final = true, .refuses = true, .where = AT_REQUESTS, .parse = parse_auth, .run = action_auth,
	  .help = "asks for a user and password" },
	{ 0 },
};

/* -- the page -------------------------------------------------------------------------------- */

static unsigned access_place(const struct exchange *x, const struct proxy *px)
{
	return px == x->stream->origin->frontend ? AT_REQUEST : AT_SERVER;
}

static bool access_admin(struct exchange *x, const struct proxy *px)
{
	const struct stats_page *page = page_of(px);
	struct view view;
	bool holds = false;

	if (!page->admins)
		return false;
	stream_view(x->stream, &view, NULL);
	for (const struct stats_admin *a = page->admins; a && !holds; a = a->next) {
		watch_line("stats admin", &a->loc, px, &view, false);
		holds = cond_eval(a->cond, &view, access_place(x, px) | AT_FINAL) == COND_YES;
		watch_lined(holds);
	}
	return holds;
}

static void access_nonce(char nonce[PAGE_NONCE + 1])
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	unsigned char bytes[PAGE_NONCE];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		memset(bytes, 0, sizeof(bytes)); /* a page without style */
	for (int i = 0; i < PAGE_NONCE; i++)
		nonce[i] = digits[bytes[i] & 63];
	nonce[PAGE_NONCE] = 0;
}

/* 303 to the page that says that it is not allowed. */
static enum rule_result access_refuse(struct exchange *x, const struct page_request *req)
{
	struct reply *reply = reply_new(x, 303, NULL, (struct span){ NULL, 0 });
	const char *to = page_result_location(req, "DENY", x->arena);

	reply_add(x, reply, span_of("cache-control"), span_of("no-cache"));
	reply_add(x, reply, span_of("location"), span_of(to));
	exchange_reply(x, reply);
	return RULES_REPLY;
}

static int access_open_page(struct exchange *x, struct end *end)
{
	return service_open_page(end, x->arena, x->req.method, x->service_data);
}

static enum rule_result access_rules(struct exchange *x, const struct stats_page *page)
{
	struct rule_place start = { 0 };
	struct view view;

	if (page->users && !access_known(page, &x->req)) {
		access_ask(x, page->realm);
		return RULES_REPLY;
	}
	if (!page->rules)
		return RULES_PASS;
	stream_view(x->stream, &view, NULL);
	return rules_run(page->rules, &view, &start, true);
}

static enum rule_result access_page(struct exchange *x, struct proxy *px)
{
	const struct stats_page *page = page_of(px);
	struct span uri = uri_path_and_query(x->req.target);
	struct page_request *req;
	enum rule_result r;

	if (!page || (x->req.method != METHOD_GET && x->req.method != METHOD_HEAD &&
		      x->req.method != METHOD_POST) || !page_wants(page, uri))
		return RULES_PASS;
	x->service_name = "<STATS>"; /* also where it refuses */
	service_answers(x->stream);
	r = access_rules(x, page);
	if (r != RULES_PASS)
		return r;
	req = arena_alloc(x->arena, sizeof(*req));
	if (!req)
		return RULES_ERROR;
	page_request_init(req, page, px, uri);
	req->admin = access_admin(x, px);
	if (x->req.method == METHOD_POST && !(req->admin && page_form_is_ours(&x->req)))
		return access_refuse(x, req);
	access_nonce(req->nonce);
	exchange_serve(x, x->service_name, access_open_page, req);
	return RULES_REPLY;
}

/* -- metrics --------------------------------------------------------------------------------- */

static int access_open_metrics(struct exchange *x, struct end *end)
{
	return service_open_metrics(end, x->arena, x->req.method, x->service_data);
}

static enum action_result access_metrics(const struct http_service *service, struct exchange *x)
{
	struct metrics *m = arena_alloc(x->arena, sizeof(*m));
	struct uri uri;

	(void)service;
	if (!m)
		return ACTION_ERROR;
	if (!uri_split(x->req.target, &uri) || metrics_init(m, uri.query) < 0) {
		reply_send_error(x, 400);
	} else {
		exchange_serve(x, "<PROMEX>", access_open_metrics, m);
		x->service_rules = true;
	}
	return ACTION_REPLY;
}

static struct http_service metrics_service = { .name = "prometheus-exporter",
					       .serve = access_metrics };

static void access_init(struct config *cfg, void *data)
{
	(void)cfg;
	(void)data;
	http_page_hook = access_page;
	http_page_part = &page_part;
	http_service_add(&metrics_service);
}

const struct module stats_service_module = {
	.name = "stats service",
	.init = access_init,
};
