/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes down what one stream tells of itself (explain/record.h). Called by the runner of steps and
 * by rules, conditions and expressions, while the steps of that stream run; looks at the stream,
 * and changes nothing of it. What a step or an action has done to the heads is seen by comparing
 * them with a copy, so that no action needs a word about that. */
#include "explain/record.h"

#include "base/arena.h"
#include "base/bug.h"
#include "exchange/exchange.h"
#include "exchange/persist.h"
#include "explain/heads.h"
#include "explain/shown.h"
#include "expr/capture.h"
#include "expr/pattern.h"
#include "expr/pattern_parse.h"
#include "expr/vars.h"
#include "expr/view.h"
#include "lb/balance_conf.h"
#include "net/addr.h"
#include "proxy/proxy.h"
#include "stream/accesslog.h"
#include "stream/extra.h"
#include "stream/stream.h"
#include "stream/subscriber.h"
#include "stream/watched.h"

static struct record *recording;
static const struct proxy *wanted_frontend;

/* ---- the tree ---------------------------------------------------------------------------- */

/* Bytes of one record, where nobody says otherwise. */
enum { RECORD_MOST = 8 << 20 };

/* What there is no memory for: of no tree, and never r->at. */
static struct entry nowhere;

static void *record_alloc(struct record *r, size_t size)
{
	void *memory = arena_used(r->arena) < r->most ? arena_alloc(r->arena, size) : NULL;

	r->full |= !memory;
	return memory;
}

static struct entry *entry_add(struct record *r, enum entry_kind kind, const char *name,
			       const char *text)
{
	struct entry *t = record_alloc(r, sizeof(*t));

	if (!t) {
		nowhere = (struct entry){ .up = r->root, .tail = &nowhere.children };
		return &nowhere;
	}
	t->kind = kind;
	t->name = name;
	t->text = text;
	t->up = r->at;
	t->tail = &t->children;
	*r->at->tail = t;
	r->at->tail = &t->next;
	return t;
}

struct entry *record_note(struct record *r, enum entry_kind kind, const char *name,
			  const char *text)
{
	return entry_add(r, kind, name ? arena_strdup(r->arena, name) : NULL,
			text ? arena_strdup(r->arena, text) : NULL);
}

/* What is told from here on belongs to it. */
static void entry_open(struct record *r, struct entry *t, const struct location *loc)
{
	if (loc)
		t->loc = *loc;
	if (t != &nowhere)
		r->at = t;
}

static void entry_close(struct record *r, enum entry_kind kind)
{
	while (r->at != r->root && r->at->kind != kind)
		r->at = r->at->up;
	if (r->at != r->root)
		r->at = r->at->up;
}

/* ---- sections ---------------------------------------------------------------------------- */

static const char *section_name(struct record *r, const struct proxy *px, bool as_backend)
{
	const char *kind = px->caps == (PROXY_FRONTEND | PROXY_BACKEND) ? "listen" :
			   as_backend ? "backend" : "frontend";

	return arena_printf(r->arena, "%s %s", kind, px->name);
}

static void section_enter(struct record *r, const struct proxy *px, bool response)
{
	struct entry *t;

	if (r->section_of == px && r->section_response == response)
		return;
	r->at = r->root;
	t = entry_add(r, ENTRY_SECTION, section_name(r, px, !(px->caps & PROXY_FRONTEND)),
		     response ? "response" : NULL);
	t->loc = px->loc;
	t->response = response;
	entry_open(r, t, NULL);
	r->section = r->at;
	r->section_of = px;
	r->section_response = response;
}

/* ---- values ------------------------------------------------------------------------------ */

/* Text as it is, but for what a terminal could take for its own: \xNN. */
static const char *value_text(struct record *r, struct span s)
{
	size_t most = s.len < r->longest ? s.len : r->longest, size = most * 4 + 32;
	char *memory = record_alloc(r, size);
	struct text t;

	if (!memory)
		return "(there is no memory for it)";
	text_init(&t, memory, size);
	shown_bytes(&t, (struct span){ s.ptr, most }, false);
	if (s.len > most)
		text_printf(&t, "... (%zu bytes)", s.len);
	return t.ptr;
}

static const char *sample_text(struct record *r, const struct sample *smp)
{
	struct sample copy = *smp;

	if (smp->type == SMP_BOOL)
		return smp->num ? "true" : "false";
	if (!sample_cast(&copy, SMP_STR))
		return "(a value that has no text)";
	return value_text(r, copy.str);
}

/* ---- rules ------------------------------------------------------------------------------- */

static struct stream *stream_seen(const struct view *view)
{
	return view ? view->stream : NULL;
}

static bool rule_of_response(const struct rule *rule)
{
	return rule->where & AT_RESPONSE && !(rule->where & AT_REQUESTS);
}

static void heads_look(struct record *r, struct stream *s, const char *why);

static struct entry *line_begin(struct record *r, const char *name, const struct location *loc,
				const struct proxy *section, const struct view *view, bool response)
{
	struct entry *t;

	if (stream_seen(view)) {
		heads_look(r, view->stream, r->step);
		treated_look(view->stream, &r->treated);
	}
	section_enter(r, section, response);
	r->at = r->section;
	t = entry_add(r, ENTRY_RULE, name, NULL);
	t->held = HELD_YES;
	t->response = response;
	entry_open(r, t, loc);
	return t;
}

static void on_rule(const struct rule *rule, const struct view *view)
{
	struct record *r = recording;
	const char *name = arena_printf(r->arena, "%s %s", rule->list, rule->action->name);

	line_begin(r, name, &rule->loc, rule->proxy, view, rule_of_response(rule))->held =
		rule->cond ? HELD_NO : HELD_YES;
}

static void on_line(const char *word, const struct location *loc, const struct proxy *section,
		    const struct view *view, bool is_response)
{
	line_begin(recording, word, loc, section, view, is_response);
}

/* An answer of the program may have ended the stream meanwhile. */
static void on_lined(bool held)
{
	struct entry *t = recording->at;

	while (t != recording->root && t->kind != ENTRY_RULE)
		t = t->up;
	if (t != recording->root && !held)
		t->held = HELD_NO;
	entry_close(recording, ENTRY_RULE);
}

static void on_says(const char *name, const char *text)
{
	record_note(recording, ENTRY_NOTE, name, text);
}

static const char *said_text(enum action_result said)
{
	static const char *const texts[] = {
		[ACTION_NEXT] = "next", [ACTION_WAIT] = "wait", [ACTION_ACCEPT] = "accept",
		[ACTION_REJECT] = "reject", [ACTION_CLOSE] = "close", [ACTION_DROP] = "drop",
		[ACTION_REPLY] = "answer", [ACTION_ERROR] = "error",
	};

	return texts[said];
}

static void tell_treatment(void *of, const char *name, const char *text)
{
	entry_add(of, ENTRY_NOTE, name, text);
}

/* What a rule has set for the stream. */
static void changes_look(struct record *r, const struct stream *s)
{
	struct treated now;

	treated_look(s, &now);
	treated_compare(&r->treated, &now, r->arena, tell_treatment, r);
}

static void on_ruled(const struct rule *rule, const struct view *view, enum action_result said)
{
	struct record *r = recording;
	struct entry *t = r->at;

	if (!r->stream && stream_seen(view))
		return;
	while (t != r->root && t->kind != ENTRY_RULE)
		t = t->up;
	if (t == r->root)
		return;
	r->at = t;
	if (said == ACTION_WAIT && t->held == HELD_NO)
		t->held = HELD_WAITS;
	if (t->held == HELD_YES || (t->held == HELD_UNKNOWN && said != ACTION_NEXT))
		t->result = said_text(said);
	if (stream_seen(view) && r->stream) {
		heads_look(r, view->stream, NULL);
		changes_look(r, view->stream);
	}
	if (addr_names.stay && t->held == HELD_YES && !strcmp(rule->action->name, "do-resolve"))
		record_note(r, ENTRY_NOTE, "nobody is asked for names here", NULL);
	entry_close(r, ENTRY_RULE);
}

static enum entry_held held_of(enum cond_result result)
{
	static const enum entry_held held[] = { [COND_NO] = HELD_NO,
						[COND_YES] = HELD_YES,
						[COND_WAIT] = HELD_WAITS,
						[COND_UNKNOWN] = HELD_UNKNOWN };

	return held[result];
}

static void on_cond(enum cond_result result)
{
	struct entry *t = recording->at;

	while (t != recording->root && t->kind != ENTRY_RULE && t->kind != ENTRY_CHOICE)
		t = t->up;
	t->held = held_of(result);
}

static void on_choice(const char *word, const struct location *loc, const struct view *view)
{
	struct record *r = recording;
	struct entry *t;

	section_enter(r, strcmp(word, "use-server") ? view->frontend : view->backend, false);
	r->at = r->section;
	t = entry_add(r, ENTRY_CHOICE, word, NULL);
	t->held = HELD_YES;
	entry_open(r, t, loc);
}

static void on_chosen(const char *name, bool taken)
{
	struct record *r = recording;
	struct entry *t = r->at;

	if (t->kind != ENTRY_CHOICE)
		return;
	t->text = arena_strdup(r->arena, name);
	t->taken = taken;
	if (taken)
		r->choice = t;
	r->at = r->section;
}

static void on_acl(const char *name, const struct location *loc)
{
	entry_open(recording, entry_add(recording, ENTRY_ACL, name, NULL), loc);
}

static void on_asked(enum cond_result result)
{
	struct entry *t = recording->at;

	while (t != recording->root && t->kind != ENTRY_ACL)
		t = t->up;
	t->held = held_of(result);
	entry_close(recording, ENTRY_ACL);
}

static void on_sample(const struct expr *e, enum expr_result result, const struct sample *smp)
{
	struct record *r = recording;
	struct entry *t = entry_add(r, ENTRY_SAMPLE, expr_text(e),
				  result == EXPR_FOUND ? sample_text(r, smp) : NULL);

	t->held = result == EXPR_FOUND ? HELD_YES : result == EXPR_WAIT ? HELD_WAITS : HELD_NO;
}

static const char *pattern_text(struct record *r, const struct pattern_set *set,
				const struct pattern *p)
{
	char memory[64];
	struct text t;

	if (!p || p->op == OP_EQUAL)
		return p ? p->text : NULL;
	text_init(&t, memory, sizeof(memory));
	pattern_say(p, set->match, &t);
	return arena_strdup(r->arena, t.ptr);
}

static void on_pattern(const struct pattern_set *set, const struct pattern *p)
{
	struct entry *t = entry_add(recording, ENTRY_PATTERN, match_name(set->match),
				    pattern_text(recording, set, p));

	t->before = p ? p->value : NULL;
	t->held = p ? HELD_YES : HELD_NO;
}

static void on_variable(const struct var_name *name, const struct sample *smp)
{
	struct record *r = recording;

	entry_add(r, ENTRY_VARIABLE, name->text, smp ? sample_text(r, smp) : NULL);
}

/* ---- heads ------------------------------------------------------------------------------- */

static void tell_change(void *of, const char *name, const char *before, const char *after,
			bool response)
{
	struct record *r = of;
	struct entry *t = entry_add(r, ENTRY_FIELD, name, after);

	t->before = before;
	t->response = response;
}

/* What people call the steps that change heads besides rules. */
static const char *step_text(const char *step)
{
	return !strcmp(step, "request fields") ? "by options and the cookie line" :
	       !strcmp(step, "http rules") ? "by the cookie line" : step;
}

static void heads_look_one(struct record *r, struct head **last, const struct message *msg,
			   const char *why, bool response)
{
	struct head *now = msg ? head_copy(r->arena, msg) : NULL;
	struct entry *at = r->at;

	if (now && *last && head_differs(*last, now)) {
		if (why)
			entry_open(r, entry_add(r, ENTRY_NOTE, step_text(why), NULL), NULL);
		head_compare(*last, now, tell_change, r, response);
		r->at = at;
	}
	if (now)
		*last = now;
}

/* why: the step that has made the difference, where no rule has. */
static void heads_look(struct record *r, struct stream *s, const char *why)
{
	const struct exchange *x = s->exchange;

	if (!x)
		return;
	heads_look_one(r, &r->request, x->http.request && !x->request_sent ? x->http.request : NULL,
		       why, false);
	if (x->http.response && !(x->http.response->flags & MSG_INTERIM))
		heads_look_one(r, &r->response, x->http.response, why, true);
}

static void captures_look(struct record *r, const struct stream *s, bool response)
{
	const struct proxy *fe = s->origin->frontend;
	const char **values;
	unsigned i, n;

	if (!s->exchange || !fe->captures)
		return;
	values =
		response ? s->exchange->http.response_captures : s->exchange->http.request_captures;
	n = values ? capture_count(fe, response) : 0;
	for (i = 0; i < n && i < 32; i++) {
		if (!values[i] || r->captures[response] & 1u << i)
			continue;
		r->captures[response] |= 1u << i;
		record_note(r, ENTRY_CAPTURE,
			    arena_printf(r->arena, "%s %u", response ? "response" : "request", i),
			    values[i]);
	}
}

/* ---- backend and server ------------------------------------------------------------------ */

static void backend_look(struct record *r, const struct stream *s)
{
	const struct proxy *fe = s->origin->frontend, *be = s->backend;
	struct entry *t;

	if (!be || r->backend == be)
		return;
	r->backend = be;
	r->outcome.backend = be->name;
	r->at = r->root;
	t = entry_add(r, ENTRY_BACKEND, be->name, NULL);
	t->loc = be->loc;
	if (r->choice && !strcmp(r->choice->name, "use_backend")) {
		t->text = "use_backend";
		t->loc = r->choice->loc;
	} else if (be == fe) {
		t->text = "the section itself";
	} else {
		t->text = "default_backend";
		t->loc = fe->set.default_backend_loc;
	}
	r->choice = NULL;
	entry_open(r, t, NULL);
	r->section = r->at;
	r->section_of = be;
	r->section_response = false;
}

static const char *server_state_text(const struct server *s)
{
	const struct server_state *state = s->state;

	if (state->admin & ADMIN_MAINT)
		return "in maintenance";
	if (state->op == SERVER_DOWN)
		return "down";
	if (state->admin & ADMIN_DRAIN)
		return "drains";
	if (!state->effective_weight)
		return "weight 0";
	return state->op == SERVER_STOPPING ? "stopping" : "up";
}

static const char *server_address(struct record *r, const struct server *s)
{
	char memory[256];
	struct text t;

	text_init(&t, memory, sizeof(memory));
	if (server_hostname(s)) {
		text_str(&t, server_hostname(s));
		if (s->state->addr.port)
			text_printf(&t, ":%u", s->state->addr.port);
	} else {
		shown_addr(&t, &s->state->addr);
	}
	return arena_strdup(r->arena, t.ptr);
}

static const char *server_why(struct record *r, const struct stream *s)
{
	const struct stream_extra *extra = s->extra;
	const struct proxy *be = s->backend;

	if (server_is_dispatch(s->server))
		return "dispatch";
	if (r->choice && !strcmp(r->choice->name, "use-server"))
		return "use-server";
	if (extra && extra->direct && extra->persist == s->server)
		return persist_cookie(be) ? "its cookie" : "a stick table";
	return balance_name(be->set.balance);
}

static void server_look(struct record *r, const struct stream *s)
{
	struct entry *group, *t;
	const struct server *each;

	if (!s->server || r->server == s->server)
		return;
	r->server = s->server;
	r->outcome.server = s->server->id;
	r->at = r->root;
	group = entry_add(r, ENTRY_SERVERS, server_why(r, s), NULL);
	group->loc = r->choice ? r->choice->loc : (struct location){ .file = NULL };
	entry_open(r, group, NULL);
	for (each = s->backend->servers; each; each = each->next) {
		t = entry_add(r, ENTRY_SERVER, each->id, server_address(r, each));
		t->before = server_state_text(each);
		t->weight = each->state->effective_weight;
		t->held = each == s->server ? HELD_YES : HELD_NO;
		t->taken = each->set.options.on & SRV_BACKUP;
		t->loc = each->loc;
	}
	r->choice = NULL;
	r->section_of = NULL;
	r->at = r->root;
}

/* ---- the life of the stream ---------------------------------------------------------------- */

static void record_clear(struct record *r)
{
	r->top = (struct entry){ .kind = ENTRY_ROOT, .tail = &r->top.children };
	r->at = r->root = &r->top;
	r->full = false;
	r->section = r->choice = NULL;
	r->section_of = NULL;
	r->stream = NULL;
	r->backend = NULL;
	r->server = NULL;
	r->step = NULL;
	r->request = r->response = NULL;
	r->captures[0] = r->captures[1] = 0;
	r->log = NULL;
	r->outcome = (struct outcome){ .ended = false };
}

static void record_decide(struct record *r, struct stream *s)
{
	if (r->decided)
		return;
	r->decided = !r->wanted || r->wanted(r, s);
	if (r->decided)
		return;
	stream_watched_no_more(s);
	arena_reset(r->arena);
	record_clear(r);
}

static void on_begins(struct stream *s)
{
	struct record *r = recording;

	if (r->stream || r->outcome.ended || s->origin->frontend->stats_socket ||
	    (wanted_frontend && s->origin->frontend != wanted_frontend))
		return;
	stream_watched(s);
	r->stream = s;
	r->outcome.frontend = s->origin->frontend->name;
	if (r->begins)
		r->begins(r, s);
}

static void on_step(struct stream *s, const char *name, bool is_response)
{
	struct record *r = recording;

	(void)is_response;
	if (r->stream != s)
		return;
	if (!r->decided && s->exchange && s->exchange->http.request)
		record_decide(r, s);
	if (r->stream != s)
		return;
	heads_look(r, s, r->step);
	captures_look(r, s, false);
	captures_look(r, s, true);
	backend_look(r, s);
	server_look(r, s);
	r->step = name;
}

static void on_waits(struct stream *s)
{
	struct record *r = recording;

	if (!r || (r->stream && r->stream != s))
		return;
	if (r->stream)
		record_decide(r, s);
	r->at = r->root;
	r->section_of = NULL; /* what was told is complete */
	if (r->changed && r->decided)
		r->changed(r);
}

static void on_log(struct stream *s, struct span line)
{
	struct record *r = recording;

	if (r->stream != s)
		return;
	r->log = arena_printf(r->arena, "%s%s%.*s", r->log ? r->log : "", r->log ? "\n" : "",
			      (int)line.len, line.ptr);
	if (r->at->kind == ENTRY_RULE)
		entry_add(r, ENTRY_NOTE, "log",
			  arena_printf(r->arena, "%.*s", (int)line.len, line.ptr));
}

/* It was the preface of HTTP/2: the streams of that connection are what people call requests. */
static void forget_preface(struct record *r)
{
	r->stream = NULL;
	r->decided = false;
	r->at = r->root;
	r->section_of = NULL;
	r->step = NULL;
}

static void on_ends(struct stream *s)
{
	struct record *r = recording;
	char code[3];

	if (r->stream != s)
		return;
	if (s->exchange && s->exchange->preface) {
		forget_preface(r);
		return;
	}
	record_decide(r, s);
	if (r->stream != s)
		return;
	on_step(s, "end", true);
	stream_termination(s, code);
	r->outcome.code = arena_strdup(r->arena, code);
	r->outcome.reason = reason_text(s->reason);
	r->outcome.status = s->exchange ? s->exchange->http.status : 0;
	r->outcome.ended = true;
	r->stream = NULL;
}

static const struct stream_watch recorder = {
	.rules = { .rule = on_rule, .ruled = on_ruled, .choice = on_choice, .chosen = on_chosen,
		   .line = on_line, .lined = on_lined, .says = on_says, .cond = on_cond,
		   .acl = on_acl, .asked = on_asked, .sample = on_sample,
		   .pattern = on_pattern, .variable = on_variable },
	.step = on_step,
	.waits = on_waits,
	.log = on_log,
};

/* ---- moments ------------------------------------------------------------------------------- */

static enum moment_said record_hear(struct stream *s, enum moment moment)
{
	if (moment == MOMENT_BEGUN)
		on_begins(s);
	else if (s->in_steps & STEPS_WATCHED)
		on_ends(s);
	return SAID_GOES_ON;
}

const struct subscriber record_begins_subscriber = {
	.name = "explain",
	.moments = AT_MOMENT(BEGUN),
	.hear = record_hear,
};

const struct subscriber record_ends_subscriber = {
	.name = "explain",
	.moments = AT_MOMENT(ENDED),
	.hear = record_hear,
};

/* The line of the log is a part of the record, whether or not somebody takes it. */
static void record_listens(bool on)
{
	moments_everywhere(&record_begins_subscriber, on);
	moments_everywhere(&record_ends_subscriber, on);
	moments_everywhere(&accesslog_subscriber, on);
	streams_watch(on ? &recorder : NULL);
}

const struct watch *record_rules(void)
{
	return &recorder.rules;
}

void record_begin(struct record *r, struct arena *arena, const struct proxy *frontend)
{
	BUG_ON(recording);
	*r = (struct record){ .arena = arena, .longest = 512, .most = RECORD_MOST };
	record_clear(r);
	recording = r;
	wanted_frontend = frontend;
	record_listens(true);
}

void record_end(void)
{
	if (recording && recording->stream)
		stream_watched_no_more(recording->stream);
	recording = NULL;
	record_listens(false);
}

bool record_busy(void)
{
	return recording != NULL;
}
