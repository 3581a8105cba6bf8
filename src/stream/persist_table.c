/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Persistence by stick tables: steps REQ_STICK and RES_STICK, which streams of backends without
 * such rules pass over. Nothing waits here: bytes that a rule looks at were waited for by content
 * rules.
 *
 * A key is noted while the request is looked at and stored when the server has been reached (bytes)
 * or has answered (HTTP), so that a table learns the server that has served, whatever was tried
 * before. Without memory for a key, or room in a table, a stream goes on and nothing is learnt.
 */
#include "stream/persist_table.h"

#include "expr/acl.h"
#include "expr/expr.h"
#include "expr/rule.h"
#include "expr/stick_key.h"
#include "expr/view.h"
#include "expr/watch.h"
#include "proxy/proxy.h"
#include "proxy/stick_conf.h"
#include "stream/extra.h"
#include "stream/persist_rules.h"
#include "stream/steps.h"
#include "stream/stick_kept.h"
#include "stream/stream.h"

#include <string.h>

struct proxy_part stick_rules_part = { PROXY_PART("stick rules", sizeof(struct stick_rules)),
				       .back_steps = STICKS };

/* ---- servers in tables ------------------------------------------------------------------- */

/* What stands for the server in server_key; memory: of STICK_NAME_MOST + 1 bytes. */
static struct span server_name(const struct stick_line *line, const struct server *server,
			       char *memory)
{
	const struct addr *addr = &server->state->addr;
	struct text t;

	if (!line->by_address)
		return span_of(server->id);
	if (addr->family == AF_UNIX)
		return span_of(addr->path ? addr->path : "");
	text_init(&t, memory, STICK_NAME_MOST + 1);
	addr_print_port(addr, &t);
	return (struct span){ memory, t.len };
}

static bool has_name(const struct stick_line *line, const struct server *server, struct span name)
{
	char memory[STICK_NAME_MOST + 1];

	return name.len && span_equal(server_name(line, server, memory), name);
}

/* The one of that name wherever it stands, else the one of that id: it may have another name since
 * the entry was made. Not an added one: it may have the id of one that has gone. */
static struct server *find_server(const struct proxy *px, const struct stick_line *line,
				  uint64_t id, struct span name)
{
	struct server *server, *numbered = NULL;

	for (server = id ? px->servers : NULL; server && !numbered; server = server->next)
		if ((uint64_t)server->puid == id && !server->refused)
			numbered = server;
	if (!name.len || (numbered && has_name(line, numbered, name)))
		return numbered;
	for (server = px->servers; server; server = server->next)
		if (!server->refused && has_name(line, server, name))
			return server;
	return numbered && numbered->added ? NULL : numbered;
}

/* ---- rules ------------------------------------------------------------------------------- */

static const char *rule_word(const struct stick_rule *rule)
{
	return !rule->store ? "stick match" : rule->match ? "stick on" : "stick store";
}

/* False: there is no such key. */
static bool key_of(const struct stick_rule *rule, const struct view *view, unsigned place,
		   struct stick_key_memory *memory, struct span *key)
{
	struct sample smp;

	return cond_eval(rule->cond, view, place) == COND_YES &&
	       expr_eval(rule->expr, view, place, &smp) == EXPR_FOUND &&
	       stick_key_of_sample(rule->table->table->def.type, &smp, memory, key);
}

/* ---- the request ------------------------------------------------------------------------- */

/* The server of that key, if it may be had; the entry begins a new life. */
static struct server *match(const struct stream *s, struct stick_line *line, struct span key)
{
	bool forced = s->extra->persist_forced || s->backend->set.options.on & OPT_PERSIST;
	struct stick_entry *e = stick_find(line->table, key);
	struct server *server;
	uint64_t id, name;

	if (!e) {
		watch_says("no entry in table", line->name);
		return NULL;
	}
	id = stick_value(line->table, e, STICK_server_id, 0);
	name = stick_value(line->table, e, STICK_server_key, 0);
	server = find_server(s->backend, line, id, stick_name((uint32_t)name));
	stick_touch(line->table, e);
	stick_give(line->table, e);
	watch_says("the entry names", server ? server->id : "no server that there is");
	return server && (forced || server_reachable(server)) ? server : NULL;
}

static void keep(struct stream_extra *extra, struct stick_line *line, bool of_response,
		 struct span key)
{
	watch_says("the server that answers is noted in table", line->name);
	stick_kept_add(&extra->sticks, line, of_response, key);
}

/* The first server that a rule finds is it; entries of the rules behind live on as well. */
int stick_request(struct stream *s)
{
	struct stream_extra *extra = extra_get(s);
	const struct stick_rule *rule;
	struct stick_key_memory memory;
	struct stick_line *line;
	struct server *server;
	struct view view;
	struct span key;
	bool decided;

	if (!extra)
		return stream_fail(s, END_RESOURCE);
	stick_kept_free(&extra->sticks);
	if (!s->exchange)
		persist_rules_apply(s, extra);
	stream_view(s, &view, NULL);
	decided = extra->persist || use_server_decides(s->backend, &view); /* then no table does */
	for (rule = stick_rules_of(s->backend)->request; rule; rule = rule->next) {
		line = rule->table->table;
		if (rule->store && stick_kept_has(extra->sticks, line, false))
			continue;
		watch_line(rule_word(rule), &rule->loc, s->backend, &view, false);
		if (key_of(rule, &view, AT_SERVER | AT_FINAL, &memory, &key)) {
			server = rule->match ? match(s, line, key) : NULL;
			if (rule->store)
				keep(extra, line, false, key);
			if (!decided && server)
				extra->persist = server;
			decided = decided || server;
			watch_lined(true);
		} else {
			watch_lined(false);
		}
	}
	return STEP_NEXT;
}

/* ---- the response ------------------------------------------------------------------------ */

static void store(const struct stick_kept *kept, const struct server *server)
{
	struct stick_table *table = kept->line->table;
	struct stick_entry *e = stick_take(table, (struct span){ kept->key, kept->len }, NULL);
	char memory[STICK_NAME_MOST + 1];

	if (!e)
		return;
	stick_set(table, e, STICK_server_id, 0, (uint64_t)server->puid);
	stick_set(table, e, STICK_server_key, 0,
		  stick_name_note(server_name(kept->line, server, memory)));
	stick_touch(table, e);
	stick_give(table, e);
}

static void keep_of_response(struct stream *s)
{
	const struct stick_rule *rule = stick_rules_of(s->backend)->response;
	struct stick_key_memory memory;
	struct view view;
	struct span key;
	bool found;

	if (!rule)
		return;
	stream_view(s, &view, NULL);
	for (; rule; rule = rule->next) {
		if (stick_kept_has(s->extra->sticks, rule->table->table, true))
			continue;
		watch_line("stick store-response", &rule->loc, s->backend, &view, true);
		found = key_of(rule, &view, AT_RESPONSE | AT_FINAL, &memory, &key);
		if (found)
			keep(s->extra, rule->table->table, true, key);
		watch_lined(found);
	}
}

int stick_response(struct stream *s)
{
	const struct server *server = s->server;
	const struct stick_kept *kept;

	if (!server || server_is_dispatch(server) || !extra_get(s))
		return STEP_NEXT;
	if (!(server->set.options.on & SRV_NON_STICK)) {
		keep_of_response(s);
		for (kept = s->extra->sticks; kept; kept = kept->next)
			store(kept, server);
	}
	stick_kept_free(&s->extra->sticks);
	return STEP_NEXT;
}
