/* SPDX-License-Identifier: BSD-2-Clause */
/* Actions of HTTP rules that end a list: deny, tarpit, return, auth, reject, silent-drop,
 * redirect (manual 4.2). Rows of a table; called by expr/rules.c. What they answer is sent by the
 * exchange. */
#include "base/arena.h"
#include "base/err.h"
#include "base/kind.h"
#include "exchange/answer.h"
#include "exchange/exchange.h"
#include "exchange/redirect.h"
#include "exchange/reply.h"
#include "exchange/tarpit.h"
#include "net/listener.h"
#include "proxy/proxy.h"
#include "stream/stream.h"
#include "stream/tcp_rules.h"
#include "stream/track.h"

enum { REQUESTS = AT_REQUESTS, RESPONSES = AT_RESPONSE, BOTH = AT_REQUESTS | AT_RESPONSE };

/* -- what is counted -------------------------------------------------------------------- */

static void count_request(const struct stream *s)
{
	s->origin->frontend->fe->counters.denied_requests++;
	origin_counters(s->origin)->denied_requests++;
	if (s->backend)
		s->backend->be->counters.denied_requests++;
	track_error(s);
}

static void count_response(const struct stream *s)
{
	s->origin->frontend->fe->counters.denied_responses++;
	origin_counters(s->origin)->denied_responses++;
	if (s->backend)
		s->backend->be->counters.denied_responses++;
	if (s->server)
		s->server->tally->counters.denied_responses++;
}

static void count_denied(const struct rule *rule, const struct view *view)
{
	if (rule->where & AT_RESPONSE)
		count_response(view->stream);
	else
		count_request(view->stream);
}

/* -- ending without an answer ----------------------------------------------------------- */

static enum action_result action_reject(const struct rule *rule, struct view *view,
					unsigned place)
{
	(void)place;
	count_denied(rule, view);
	return ACTION_REJECT;
}

static enum action_result action_drop(const struct rule *rule, struct view *view, unsigned place)
{
	count_denied(rule, view);
	return action_silent_drop(rule, view, place);
}

/* -- deny, tarpit, return --------------------------------------------------------------- */

enum { DENY_REQUEST, DENY_RESPONSE, TARPIT, RETURN };

static int parse_answer(struct statement *st, struct rule *rule, const char *args)
{
	static const unsigned statuses[] = { [DENY_REQUEST] = 403, [DENY_RESPONSE] = 502,
					     [TARPIT] = 500, [RETURN] = 200 };
	struct answer *answer = arena_alloc(st->cfg->arena, sizeof(*answer));
	int what = rule->action->data;

	(void)args;
	KIND_IS(struct answer, answer);
	rule->data = answer;
	return answer_parse(st, rule, statuses[what],
			    what == RETURN ? ANSWER_EMPTY : ANSWER_DEFAULT, answer);
}

static void send_answer(struct exchange *x, const struct answer *answer, struct view *view,
			enum reason ends)
{
	struct reply *reply = answer_make(answer, x, view);

	if (!reply && !x->arena->failed)
		reply = reply_silent(x, (unsigned)answer->status);
	if (reply)
		reply->ends = (uint8_t)ends;
	exchange_reply(x, reply);
}

static enum action_result action_deny(const struct rule *rule, struct view *view, unsigned place)
{
	(void)place;
	count_denied(rule, view);
	send_answer(action_exchange(view), KIND_OF(const struct answer, rule->data), view, END_DENIED);
	return ACTION_REPLY;
}

enum action_result http_action_refuse(const struct rule *rule, struct view *view, unsigned status)
{
	const struct answer answer = { .kind = ANSWER_DEFAULT, .status = status };

	count_denied(rule, view);
	send_answer(action_exchange(view), &answer, view, END_DENIED);
	return ACTION_REPLY;
}

/* The answer is made at once and kept back until then. */
static enum action_result action_tarpit(const struct rule *rule, struct view *view, unsigned place)
{
	struct exchange *x = action_exchange(view);
	const struct proxy *px = view->backend ? view->backend : view->frontend;
	unsigned wait = timeout_in_force(view->treatment, &px->set.timeout, TIMEOUT_TARPIT);

	(void)place;
	count_denied(rule, view);
	tarpit_begin(x, wait);
	send_answer(x, KIND_OF(const struct answer, rule->data), view, END_DENIED);
	return ACTION_REPLY;
}

static enum action_result action_return(const struct rule *rule, struct view *view, unsigned place)
{
	(void)place;
	send_answer(action_exchange(view), KIND_OF(const struct answer, rule->data), view, END_NONE);
	return ACTION_REPLY;
}

/* -- auth ------------------------------------------------------------------------------- */

static int parse_auth(struct statement *st, struct rule *rule, const char *args)
{
	const char *realm = rule->proxy->name, *p;

	(void)args;
	if (stmt_take(st, "realm")) {
		realm = stmt_need(st, "the realm");
		if (!realm)
			return -1;
	}
	for (p = realm ? realm : ""; *p; p++) {
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			return stmt_error(st, st->at - 1, "a realm has no control characters");
	}
	rule->num = realm == rule->proxy->name;
	rule->data = (void *)reply_challenge(st->cfg->arena, realm ? realm : "");
	return 0;
}

/* Without "realm" it is the name of the section that asks. */
static int inherit_auth(struct config *cfg, struct rule *copy, struct proxy *heir)
{
	if (copy->num)
		copy->data = (void *)reply_challenge(cfg->arena, heir->name);
	return 0;
}

/* The field of the answer, if it has one, gives way. */
static void replace_field(struct exchange *x, struct reply *reply, const char *name,
			  const char *value)
{
	struct reply copy = *reply;
	unsigned i;

	reply->fields = NULL;
	reply->field_count = 0;
	for (i = 0; i < copy.field_count; i++) {
		if (!field_name_is(&copy.fields[i], span_of(name)))
			reply_add(x, reply, copy.fields[i].name, copy.fields[i].value);
	}
	reply_add(x, reply, span_of(name), span_of(value));
}

static enum action_result action_auth(const struct rule *rule, struct view *view, unsigned place)
{
	struct exchange *x = action_exchange(view);
	bool proxy = x->req.flags & MSG_FOR_PROXY;
	unsigned status = proxy ? 407 : 401;
	struct reply *reply = reply_error(x, status);

	(void)place;
	track_error(x->stream);
	if (!reply) {
		reply_send_error(x, status);
		return ACTION_REPLY;
	}
	replace_field(x, reply, proxy ? "Proxy-Authenticate" : "WWW-Authenticate", rule->data);
	exchange_reply(x, reply);
	return ACTION_REPLY;
}

/* -- redirect --------------------------------------------------------------------------- */

static int parse_redirect(struct statement *st, struct rule *rule, const char *args)
{
	struct redirect *redirect = arena_alloc(st->cfg->arena, sizeof(*redirect));

	(void)args;
	KIND_IS(struct redirect, redirect);
	rule->data = redirect;
	if (redirect_parse(st, rule, rule->action != &redirect_action, redirect))
		return -1;
	rule->passes = redirect->ignore_empty;
	return 0;
}

static enum action_result action_redirect(const struct rule *rule, struct view *view,
					  unsigned place)
{
	struct exchange *x = action_exchange(view);
	struct reply *reply;

	(void)place;
	switch (redirect_make(KIND_OF(const struct redirect, rule->data), x, view, &reply)) {
	case REDIRECT_SKIPPED:
		return ACTION_NEXT;
	case REDIRECT_FAILED:
		return ACTION_ERROR;
	case REDIRECT_MADE:
		break;
	}
	exchange_reply(x, reply);
	return ACTION_REPLY;
}

const struct action redirect_action = {
	"redirect", .final = true, .refuses = true, .where = REQUESTS, .parse = parse_redirect, .run = action_redirect,
};

const struct action http_reply_actions[] = {
	{ "deny", .final = true, .refuses = true, .where = REQUESTS, .parse = parse_answer, .run = action_deny,
	  .data = DENY_REQUEST, .help = "refuses the request, with status 403 or another answer" },
	{ "deny", .final = true, .refuses = true, .where = RESPONSES, .parse = parse_answer, .run = action_deny,
	  .data = DENY_RESPONSE, .help = "refuses the response, with status 502 or another answer" },
	{ "tarpit", .final = true, .refuses = true, .where = REQUESTS, .parse = parse_answer, .run = action_tarpit,
	  .data = TARPIT, .help = "holds the request for timeout tarpit, then refuses it" },
	{ "return", .final = true, .refuses = true, .where = BOTH, .parse = parse_answer, .run = action_return,
	  .data = RETURN, .help = "answers" },
	{ "auth", .final = true, .refuses = true, .where = REQUESTS, .parse = parse_auth, .run = action_auth,
	  .inherit = inherit_auth,
	  .help = "asks for a user and password" },
	{ "redirect", .final = true, .refuses = true, .where = BOTH, .parse = parse_redirect, .run = action_redirect,
	  .help = "sends the client elsewhere" },
	{ "reject", .final = true, .refuses = true, .where = REQUESTS, .run = action_reject,
	  .help = "closes the connection without an answer" },
	{ "silent-drop", .final = true, .refuses = true, .where = BOTH, .parse = parse_silent_drop,
	  .run = action_drop,
	  .help = "lets the connection vanish without telling the client" },
	{ 0 },
};
