/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * "added-servers keep": servers and backends that commands have added live over a reload. What the
 * image before has noted of them (servers_note.c) is read as if they stood last in the files. What
 * they were at that moment comes with the states of all servers (facts.c). Called by
 * proxy_finish.c, and by modules that make something of each server. What cannot be read or made
 * any more is left out, with a warning: it is no mistake in the files.
 */
#include "base/arena.h"
#include "base/err.h"
#include "config/diag.h"
#include "config/fragment.h"
#include "proxy/backend_add.h"
#include "proxy/guid.h"
#include "proxy/proxy_conf.h"
#include "proxy/server_add.h"
#include "proxy/servers_note.h"
#include "share/region.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MOST = 256, NOTE_MOST = 256 << 20 };

/* ---- reading ------------------------------------------------------------------------------- */

/* The next text of the record; NULL: it is broken. */
static char *next(char **at, const char *end)
{
	char *text = *at, *nul = text < end ? memchr(text, 0, (size_t)(end - text)) : NULL;

	if (nul)
		*at = nul + 1;
	return nul ? text : NULL;
}

/* Problems of its own: what cannot be read any more is no mistake in the files. */
static struct config *reader_of(struct config *cfg)
{
	struct config *own = arena_alloc(cfg->arena, sizeof(*own));

	*own = *cfg;
	own->diag = diag_new(cfg->arena);
	return own;
}

/* Its number is a wish: those of the files come first. */
static void take_backend(struct config *cfg, struct proxies *all, const char *name,
			 char *const *words, const char *id, const char *state)
{
	struct proxy *px;
	struct err err;

	if (proxy_find(all, name, PROXY_BACKEND))
		return; /* the configuration speaks of it now */
	px = backend_read_added(reader_of(cfg), all, name, words, &err);
	if (!px) {
		config_warning(cfg, NULL,
			       "backend '%s', which a command had added, is left out: %s", name,
			       err.text);
		return;
	}
	if (!px->set.keep_added)
		return; /* nor does it want it */
	px->uuid = atoi(id);
	px->starts_unpublished = !strcmp(state, "unpublished");
	proxy_enter(all, cfg->arena, px);
}

static void left_out(struct config *cfg, const struct proxy *px, const char *name, const char *why)
{
	config_warning(cfg, &px->loc, "server '%s/%s', which a command had added, is left out: %s",
		       px->name, name, why);
}

static const struct server *with_number(const struct proxy *px, int id)
{
	const struct server *s = px->servers;

	while (s && s->puid != id)
		s = s->next;
	return s;
}

/* One that its words do not name is a wish: those of the files come first. */
static int take_number(struct config *cfg, struct server *s, int id)
{
	const struct server *other = with_number(s->proxy, s->puid ? s->puid : id);

	if (other && s->puid)
		return config_error(cfg, &s->loc, "server '%s' at %s:%u has its id %d", other->id,
				    other->loc.file, other->loc.line, s->puid);
	if (s->puid || other)
		return 0;
	s->puid = id;
	s->kept_number = true;
	return 0;
}

/* With the words as they were given, and whether it is disabled behind them. */
static void take_server(struct config *cfg, struct proxies *all, char *path, char **words,
			unsigned count, const char *id, char *state)
{
	struct config *own = reader_of(cfg);
	char *name = strchr(path, '/');
	struct proxy *px;
	struct server *s;
	struct err err;

	*name++ = 0;
	px = proxy_find(all, path, PROXY_BACKEND);
	if (!px || proxy_is_udp(px) || !px->set.keep_added || server_find(px, name))
		return; /* the configuration speaks of it now, or does not want it */
	words[count] = state;
	words[count + 1] = NULL;
	s = server_read_added(own, all, px, name, words, count, &err);
	if (s && (guid_check(own, all, &(struct guid_owner){ .proxy = px, .server = s }) < 0 ||
		  take_number(own, s, atoi(id)) < 0 || server_check_words(own, s) < 0)) {
		fragment_problem(own, &err);
		s = NULL;
	}
	if (s)
		server_conf_enter(s);
	else
		left_out(cfg, px, name, err.text);
}

static void take_all(struct config *cfg, struct proxies *all, char *at, const char *end)
{
	char *words[WORDS_MOST + 4], *path, *id, *state, *word;
	unsigned n;

	while ((path = next(&at, end)) && (id = next(&at, end)) && (state = next(&at, end))) {
		for (n = 0; (word = next(&at, end)) && *word && n < WORDS_MOST; n++)
			words[n] = word;
		if (!word || *word)
			return;
		words[n] = NULL;
		if (strchr(path, '/'))
			take_server(cfg, all, path, words, n, id, state);
		else
			take_backend(cfg, all, path, words, id, state);
	}
}

/* The first of them that tracks what is not there any more, or not checked. */
static struct server *astray(struct config *cfg, struct proxies *all, struct err *err)
{
	struct config *own = reader_of(cfg);
	struct proxy *px;
	struct server *s;

	list_for_each(px, &all->list, node)
		for (s = px->servers; s; s = s->next)
			if (s->added && server_check_track(own, all, s) < 0) {
				fragment_problem(own, err);
				return s;
			}
	return NULL;
}

/* Others may track one that is left out. */
static void leave_out_astray(struct config *cfg, struct proxies *all)
{
	struct server *s;
	struct err err;

	while ((s = astray(cfg, all, &err))) {
		left_out(cfg, s->proxy, s->id, err.text);
		server_conf_leave(s);
	}
}

static bool is_wanted(const struct proxies *all)
{
	const struct proxy *px;

	list_for_each(px, &all->list, node)
		if (px->set.keep_added && px->caps & PROXY_BACKEND)
			return true;
	list_for_each(px, &all->defaults, node)
		if (px->set.keep_added && px->name)
			return true;
	return false;
}

void servers_kept(struct config *cfg, struct proxies *all, bool shared)
{
	struct err err;
	size_t len;
	char *text;

	if (cfg->check_only || !shared || !is_wanted(all))
		return;
	if (region_attach_kept(&servers_note, servers_note_spec())) {
		len = region_length(&servers_note);
		text = len <= NOTE_MOST ? malloc(len + 1) : NULL;
		if (text && region_read(&servers_note, 0, text, len))
			take_all(cfg, all, text, text + len);
		leave_out_astray(cfg, all);
		free(text);
		region_keep(&servers_note);
	} else if (region_new(&servers_note, servers_note_spec(), 0, true, &err) == 0) {
		region_keep(&servers_note);
	} else {
		config_warning(cfg, NULL, "'added-servers keep' keeps nothing: %s", err.text);
	}
}

/* ---- what comes of them -------------------------------------------------------------------- */

/* Those that track it go first. */
static void leave_out(struct config *cfg, struct server *s, const char *why)
{
	struct server *tracker, *next;
	char text[600];

	list_for_each_safe(tracker, next, &s->trackers, tracker_node) {
		snprintf(text, sizeof(text), "it tracks '%s/%s'", s->proxy->name, s->id);
		leave_out(cfg, tracker, text);
	}
	left_out(cfg, s->proxy, s->id, why);
	list_remove(&s->tracker_node);
	server_conf_leave(s);
	server_leave_parts(s);
}

/* A line of the file that names it or one that tracks it? The process that has read the files
 * before the reload has refused such files, since what is added is none of them. */
static bool is_named(const struct server *s)
{
	const struct server *tracker;
	bool named = s->pointed_at || !s->added;

	list_for_each(tracker, &s->trackers, tracker_node)
		named = named || is_named(tracker);
	return named;
}

int server_finish_with(struct config *cfg, struct server *s,
		       int (*finish)(struct config *cfg, struct server *s))
{
	struct config *own = s->added ? reader_of(cfg) : cfg;
	struct err err;
	int rc = finish(own, s);

	if (!s->added || (rc == 0 && !config_failed(own)))
		return rc;
	fragment_problem(own, &err);
	if (is_named(s))
		return config_error(cfg, &s->proxy->loc,
				    "server '%s/%s', which a command had added and "
				    "others name: %s",
				    s->proxy->name, s->id, err.text);
	leave_out(cfg, s, err.text);
	return 0;
}
