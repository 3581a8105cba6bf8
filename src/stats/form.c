/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The form of the stats page: what it asks for, and whether it may. The actions are those of the
 * select box of the page, and some older names of them. Called by the service when the body of a
 * POST is complete. Only the state of servers changes; what follows is done by
 * proxy/server_change.c.
 */
#include "stats/form.h"

#include "base/err.h"
#include "check/checks.h"
#include "check/health.h"
#include "http/message.h"
#include "http/uri.h"
#include "proxy/proxy.h"
#include "proxy/server_asked.h"
#include "stream/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* -- actions: each says whether it applies to the server ------------------------------------ */

static const char by_page[] = "changed from Web interface";

static bool change_ready(struct server *s)
{
	server_make_ready(s);
	return true;
}

static bool change_drain(struct server *s)
{
	server_make_drain(s);
	return true;
}

static bool change_maint(struct server *s)
{
	server_make_maint(s);
	return true;
}

static bool change_enable(struct server *s)
{
	bool was = s->state->admin & ADMIN_FORCED_MAINT;

	server_set_admin(s, 0, ADMIN_FORCED_MAINT);
	return was;
}

static bool change_disable(struct server *s)
{
	bool was = s->state->admin & ADMIN_FORCED_MAINT;

	server_set_admin(s, ADMIN_FORCED_MAINT, 0);
	return !was;
}

static bool change_stop(struct server *s)
{
	server_set_admin(s, ADMIN_FORCED_DRAIN, 0);
	return true;
}

static bool change_start(struct server *s)
{
	server_set_admin(s, 0, ADMIN_FORCED_DRAIN);
	return true;
}

static bool change_checks_off(struct server *s)
{
	if (!check_of(s))
		return false;
	check_pause(s, true);
	return true;
}

static bool change_checks_on(struct server *s)
{
	if (!check_of(s))
		return false;
	check_pause(s, false);
	return true;
}

static bool change_up(struct server *s)
{
	return server_force_health(s, SERVER_UP, by_page);
}

static bool change_nolb(struct server *s)
{
	return server_force_health(s, SERVER_STOPPING, by_page);
}

static bool change_down(struct server *s)
{
	return server_force_health(s, SERVER_DOWN, by_page);
}

static bool change_agent_off(struct server *s)
{
	if (!check_agent_of(s))
		return false;
	check_pause_agent(s, true);
	return true;
}

static bool change_agent_on(struct server *s)
{
	if (!check_agent_of(s))
		return false;
	check_pause_agent(s, false);
	return true;
}

static bool change_agent_up(struct server *s)
{
	return health_force_agent(s, false);
}

static bool change_agent_down(struct server *s)
{
	return health_force_agent(s, true);
}

static bool change_shutdown(struct server *s)
{
	streams_end_server(s, END_KILLED);
	return true;
}

static const struct change {
	const char *name;
	bool (*apply)(struct server *s);
} changes[] = {
	{ "ready", change_ready },       { "drain", change_drain },
	{ "maint", change_maint },       { "dhlth", change_checks_off },
	{ "ehlth", change_checks_on },   { "hrunn", change_up },
	{ "hnolb", change_nolb },        { "hdown", change_down },
	{ "dagent", change_agent_off },  { "eagent", change_agent_on },
	{ "arunn", change_agent_up },    { "adown", change_agent_down },
	{ "shutdown", change_shutdown }, { "enable", change_enable },
	{ "disable", change_disable },   { "stop", change_stop },
	{ "start", change_start },
};

static const struct change *change_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(changes); i++)
		if (!strcmp(changes[i].name, name))
			return &changes[i];
	return NULL;
}

/* -- the form -------------------------------------------------------------------------------- */

enum { FORM_TEXT = 256 };

struct form {
	bool has_backend, has_action, bad;
	char backend[FORM_TEXT], action[32];
	/* Names of servers, one behind the other, each with its NUL. */
	char *servers;
	size_t servers_len;
};

/* False: it is too long to be anything known, or has no character. */
static bool form_copy(char *to, size_t size, const char *value, size_t len)
{
	if (!len || len >= size || memchr(value, 0, len))
		return false;
	memcpy(to, value, len);
	to[len] = 0;
	return true;
}

/* Names are collected at the front of the body, which has been read already. */
static void form_take_server(struct form *form, const char *value, size_t len)
{
	if (!len || memchr(value, 0, len)) {
		form->bad = true;
		return;
	}
	memmove(form->servers + form->servers_len, value, len);
	form->servers_len += len;
	form->servers[form->servers_len++] = 0;
}

static void form_take(struct form *form, char *pair, size_t len)
{
	char *value = memchr(pair, '=', len);
	size_t name_len = value ? (size_t)(value - pair) : len, value_len = 0;

	if (value)
		value_len = url_decode(++value, len - name_len - 1, true);
	if (value_len == SIZE_MAX) {
		form->bad = true;
	} else if (name_len == 1 && *pair == 's') {
		form_take_server(form, value ? value : pair, value_len);
	} else if (name_len == 1 && *pair == 'b') {
		form->has_backend = true;
		form->bad |= !form_copy(form->backend, sizeof(form->backend), value ? value : pair,
					value_len);
	} else if (name_len == 6 && !memcmp(pair, "action", 6)) {
		form->has_action = true;
		form->bad |= !form_copy(form->action, sizeof(form->action), value ? value : pair,
					value_len);
		form->bad |= !change_find(form->action);
	}
}

static void form_read(struct form *form, char *body, size_t len)
{
	size_t at = 0, n;
	char *end;

	*form = (struct form){ .servers = body };
	while (at < len) {
		end = memchr(body + at, '&', len - at);
		n = end ? (size_t)(end - body) - at : len - at;
		form_take(form, body + at, n);
		at += n + 1;
	}
}

/* -- carrying it out ------------------------------------------------------------------------- */

struct outcome {
	unsigned known, unknown, applied;
};

/* The others hear of it as "action\0backend/server". */
static int change_apply(const void *bytes, size_t len, struct text *said, struct err *err)
{
	const char *name = bytes, *path = len ? memchr(bytes, 0, len) : NULL;
	const struct change *change = path ? change_find(name) : NULL;
	struct server *s;

	(void)said;
	if (!change || name[len - 1])
		return err_set(err, "a broken change");
	s = server_find_path(path + 1, err);
	if (!s)
		return -1;
	change->apply(s);
	return 0;
}

const struct change_kind page_change_kind = { .name = "stats page", .apply = change_apply };

static void change_everywhere(const struct change *change, const struct server *s)
{
	char frame[512];
	int len = snprintf(frame, sizeof(frame), "%s%c%s/%s", change->name, 0, s->proxy->name, s->id);

	if (len < (int)sizeof(frame))
		change_submit(&page_change_kind, frame, (size_t)len + 1, NULL, NULL);
}

/* Here at once, since the page tells what became of it; then through the log, whose order counts.
 * With several processes the lines of the log are the parent's. */
static void change_one(const struct change *change, struct server *s, struct outcome *out)
{
	bool applied;

	out->known++;
	change_first = !change_is_shared();
	applied = change->apply(s);
	change_first = true;
	out->applied += applied;
	if (applied && change_is_shared())
		change_everywhere(change, s);
}

static void change_servers(const struct change *change, struct proxy *px, const struct form *form,
			   struct outcome *out)
{
	struct server *s;
	size_t at = 0;

	for (; at < form->servers_len; at += strlen(form->servers + at) + 1) {
		const char *name = form->servers + at;

		if (!strcmp(name, "*")) {
			for (s = px->servers; s; s = s->next)
				change_one(change, s, out);
			return;
		}
		s = server_find(px, name);
		if (s)
			change_one(change, s, out);
		else
			out->unknown++;
	}
}

const char *page_change(const struct page_request *req, char *body, size_t len)
{
	struct outcome out = { 0, 0, 0 };
	struct proxy *px;
	struct form form;

	form_read(&form, body, len);
	if (form.bad)
		return "ERRP";
	px = form.has_backend ? proxy_find(proxies_running, form.backend, PROXY_BACKEND) : NULL;
	if (form.has_backend && (!px || !page_allows(req, px)))
		return "ERRP";
	if (!px || !form.has_action || !form.servers_len)
		return "NONE";
	change_servers(change_find(form.action), px, &form, &out);
	if (!out.known)
		return "ERRP";
	if (!out.applied)
		return "NONE";
	return out.unknown ? "PART" : "DONE";
}

/* -- forms of others ------------------------------------------------------------------------- */

/* Is it the site that the request was sent to? url: "scheme://host[:port]..." */
static bool change_same_site(struct span url, struct span host)
{
	struct uri uri;

	if (!uri_split(url, &uri) || !uri.scheme.ptr || !uri.authority.ptr)
		return false;
	return uri.authority.len == host.len && !strncasecmp(uri.authority.ptr, host.ptr, host.len);
}

static const struct field *change_field(const struct message *msg, const char *name)
{
	unsigned at = 0;

	return message_find(msg, span_of(name), &at);
}

bool page_form_is_ours(const struct message *msg)
{
	const struct field *f = change_field(msg, "sec-fetch-site");

	if (f)
		return span_equal(f->value, span_of("same-origin")) ||
		       span_equal(f->value, span_of("none"));
	f = change_field(msg, "origin");
	if (!f)
		f = change_field(msg, "referer");
	return !f || change_same_site(f->value, msg->host);
}
