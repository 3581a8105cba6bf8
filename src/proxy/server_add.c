/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Servers that come and go while the program serves. Called when a change of the ordered log is
 * carried out, between two turns of the loop, in every process. The line of an added server is
 * read by the parsers of the configuration; all that is made of it lies in an arena of its own,
 * which goes when nobody in this process has the server any more. Whether a server may go at all
 * is decided once, by the process that speaks for all: the others remove it whatever they have on
 * it.
 */
#include "proxy/server_add.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/clock.h"
#include "base/err.h"
#include "config/fragment.h"
#include "event/change.h"
#include "event/timer.h"
#include "proxy/guid.h"
#include "proxy/part.h"
#include "proxy/proxy_conf.h"
#include "proxy/sums.h"
#include "share/segment.h"
#include "tally/slot_life.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REAP_MS = 50 };

unsigned servers_gone;
static uint32_t births; /* of servers added so far, the same in all processes */

/* -- who has left ------------------------------------------------------------------------------ */

static struct list left = LIST_INIT(left);
static unsigned left_count;
static void reap(struct timer *timer);
static struct timer reaper = { .fire = reap };

static void free_parts(struct server *s)
{
	struct server_part *const *part;

	for (part = server_parts; part && *part; part++)
		if ((*part)->free)
			(*part)->free(s);
}

static void memory_free(struct server *s)
{
	struct arena *arena = s->arena;

	timer_cancel(&s->warm_up);
	timer_cancel(&s->idle_timer);
	free(s->state->hostname);
	s->state->hostname = NULL;
	if (arena)
		arena_free(&arena);
}

static void server_free(struct server *s)
{
	free_parts(s);
	slot_given_up(s->left_row, s->slot, &s->tally->ended);
	memory_free(s);
}

static bool is_idle(const struct server *s)
{
	return !s->in_use && !s->conns && !s->tally->current && list_empty(&s->queue);
}

static void reap(struct timer *timer)
{
	struct server_part *const *part;
	struct server *s, *next;

	list_for_each(s, &left, left)
		s->in_use = false;
	for (part = server_parts; part && *part; part++)
		if ((*part)->mark)
			(*part)->mark();
	list_for_each_safe(s, next, &left, left) {
		if (!is_idle(s))
			continue;
		list_remove(&s->left);
		left_count--;
		server_free(s);
	}
	if (left_count)
		timer_set(timer, clock_now_ms + REAP_MS);
}

static void forget(struct server *s)
{
	free_parts(s);
	memory_free(s);
}

void servers_release(struct proxies *all)
{
	struct server *s, *next;
	struct proxy *px;

	list_for_each_safe(s, next, &left, left)
		if (s->arena)
			forget(s);
	list_init(&left);
	left_count = 0;
	timer_cancel(&reaper);
	list_for_each(px, &all->list, node) {
		for (s = px->servers; s; s = next) {
			next = s->next;
			if (s->arena)
				forget(s);
		}
		px->servers = NULL;
	}
}

unsigned servers_left(void)
{
	return left_count;
}

bool servers_left_of(const struct proxy *px)
{
	const struct server *s;

	list_for_each(s, &left, left)
		if (s->proxy == px)
			return true;
	return false;
}

void server_leave_parts(struct server *s)
{
	struct server_part *const *part;

	for (part = server_parts; part && *part; part++)
		if ((*part)->leave)
			(*part)->leave(s);
}

bool server_is_there(const struct proxy *px, const struct server *s)
{
	const struct server *there;

	for (there = px->servers; there && there != s; there = there->next)
		;
	return there;
}

bool server_is_anywhere(const struct server *s)
{
	const struct proxy *px;

	list_for_each(px, &proxies_running->list, node)
		if (server_is_there(px, s))
			return true;
	return false;
}

/* -- leaving ----------------------------------------------------------------------------------- */

static bool is_held(const struct server *s)
{
	return s->pointed_at || !list_empty(&s->trackers);
}

int server_removable(const struct server *s, bool *never, struct err *err)
{
	if (never)
		*never = true;
	if (is_held(s) || s->is_service)
		return err_set(err, "This server cannot be removed at runtime due to other "
				    "configuration elements pointing to it.");
	if (!(s->state->admin & ADMIN_MAINT))
		return err_set(err, "Only servers in maintenance mode can be deleted.");
	if (never)
		*never = false;
	if (server_sessions(s) || server_queued(s))
		return err_set(err, "Server still has connections attached to it, cannot remove "
				    "it.");
	return 0;
}

void server_remove(struct server *s)
{
	server_set_admin(s, ADMIN_FORCED_MAINT, 0);
	if (is_held(s)) { /* in a worker of an earlier generation, whose rules are others */
		server_set_admin(s, ADMIN_REMOVED, 0);
		return;
	}
	server_conf_leave(s);
	s->next = NULL;
	servers_gone++;
	server_takes_none(s);
	list_remove(&s->tracker_node);
	server_leave_parts(s);
	slot_retire(s->slot);
	s->left_row = segment_own_row;
	list_append(&left, &s->left);
	left_count++;
	if (!timer_armed(&reaper))
		timer_set(&reaper, clock_now_ms + 1);
}

struct given_name {
	char *text; /* NULL: none yet */
	size_t size;
};

/* A copy of the name, in memory that the server keeps for names that it is given: two places in
 * turn, so that the name of before stays whole. NULL: out of memory. */
static const char *keep_name(struct server *s, const char *name)
{
	struct arena *arena = s->arena ? s->arena : config_running->arena;
	struct given_name *place;
	size_t size = strlen(name) + 1;

	if (!s->given)
		s->given = arena_alloc(arena, 2 * sizeof(*s->given));
	if (!s->given)
		return NULL;
	place = &s->given[s->id == s->given[0].text];
	if (place->size < size) {
		place->size = 0;
		place->text = arena_alloc(arena, 2 * size);
		if (!place->text)
			return NULL;
		place->size = 2 * size;
	}
	return memcpy(place->text, name, size);
}

int server_rename(struct server *s, const char *name, struct err *err)
{
	struct config *cfg = fragment_new();
	char *none[] = { NULL };
	struct statement st;
	int rc = 0;

	if (!cfg)
		return err_set(err, "Out of memory.");
	fragment_statement(cfg, &st, "set server", none);
	if (!*name)
		rc = err_set(err, "set server <b>/<s> name requires a name.");
	else if (!(s->state->admin & ADMIN_MAINT))
		rc = err_set(err, "Only servers in maintenance mode can be renamed.");
	else if (is_held(s))
		rc = err_set(err, "This server cannot be renamed at runtime due to other "
				  "configuration elements pointing to it.");
	else if (server_conf_check_name(&st, name) < 0)
		rc = fragment_problem(cfg, err);
	else if (server_find(s->proxy, name) && *name != '#')
		rc = err_set(err, "Already exists a server with the same name in backend.");
	fragment_free(&cfg);
	if (rc)
		return rc;
	name = keep_name(s, name);
	if (!name)
		return err_set(err, "Out of memory.");
	s->id = name;
	return 0;
}

/* -- coming ------------------------------------------------------------------------------------ */

/* What the reference does not take either, and why we cannot. */
static const char *refused_word(char *const *words)
{
	static const char *const refused[] = {
		"init-addr", "namespace", "redir", "resolve-net", "resolve-opts", "resolve-prefer",
		"resolvers", "set-proxy-v2-tlv-fmt", "socks4", NULL,
	};
	size_t i;

	for (; *words; words++)
		for (i = 0; refused[i]; i++)
			if (!strncmp(*words, refused[i], strlen(refused[i])) &&
			    strchr("(", (*words)[strlen(refused[i])]))
				return refused[i];
	return NULL;
}

static struct proxy *backend_of(const char *path, const char **name, struct err *err)
{
	const char *slash = strchr(path, '/');
	char backend[256];
	struct proxy *px;

	if (!slash || slash == path || !slash[1] || (size_t)(slash - path) >= sizeof(backend)) {
		err_set(err, "Require 'backend/server'.");
		return NULL;
	}
	memcpy(backend, path, (size_t)(slash - path));
	backend[slash - path] = 0;
	*name = slash + 1;
	px = proxy_find(proxies_running, backend, PROXY_BACKEND);
	if (!px)
		err_set(err, "No such backend.");
	else if (proxy_is_udp(px)) {
		err_set(err, "A section udp-lb takes no servers at run time.");
		px = NULL;
	}
	return px;
}

/* "from default-server", "from <server>" (of the backend, from the files), "from <defaults>". */
static const struct server_settings *settings_from(const struct proxies *all,
						   const struct proxy *px, const char *from)
{
	const struct server *like;
	struct proxy *d;

	if (!strcmp(from, "default-server"))
		return &px->set.server;
	like = server_find(px, from);
	if (like && !like->added)
		return &like->set;
	list_for_each(d, &all->defaults, node)
		if (d->name && !strcmp(d->name, from))
			return &d->set.server;
	return NULL;
}

/* The lowest that is free, as the reference: the ring of a consistent hash stays as it was when one
 * server takes another's place. */
static int lowest_id(const struct proxy *px)
{
	const struct server *s;
	int id;

	for (id = 1;; id++) {
		for (s = px->servers; s && s->puid != id; s = s->next)
			;
		if (!s)
			return id;
	}
}

static int take_id(struct config *cfg, struct server *s)
{
	const struct server *other;

	s->forced_id = s->puid != 0;
	if (!s->puid) {
		s->puid = lowest_id(s->proxy);
		return 0;
	}
	for (other = s->proxy->servers; other; other = other->next)
		if (other->puid == s->puid)
			return config_error(cfg, &s->loc, "'id' : custom id %d already used at "
					    "%s:%u ('server %s').", s->puid, other->loc.file,
					    other->loc.line, other->id);
	return 0;
}

/* It begins in maintenance, and its checks wait for "enable health". */
static void begin_state(struct config *cfg, struct server *s)
{
	const struct options *options = &s->set.options;
	bool enabled = options->given & SRV_DISABLED && !(options->on & SRV_DISABLED);

	s->state = arena_alloc(cfg->arena, sizeof(*s->state));
	server_state_init(s);
	s->state->check.paused = s->state->agent.paused = true;
	if (enabled)
		return;
	s->state->admin |= ADMIN_FORCED_MAINT;
	s->state->op = SERVER_DOWN;
	s->state->health = 0;
}

static int make_parts(struct config *cfg, struct server *s)
{
	struct server_part *const *part;

	for (part = server_parts; part && *part; part++)
		if ((*part)->make && (*part)->make(cfg, s) < 0)
			return -1;
	return 0;
}

static int make(struct config *cfg, struct server *s, struct err *err)
{
	const struct guid_owner owner = { .proxy = s->proxy, .server = s };
	char name[512];

	s->arena = cfg->arena;
	s->serial = births + 1;
	if (take_id(cfg, s) < 0 || guid_check(cfg, proxies_running, &owner) < 0 ||
	    server_check_words(cfg, s) < 0 || config_failed(cfg))
		return fragment_problem(cfg, err);
	server_track(cfg, proxies_running, s);
	if (config_failed(cfg))
		return fragment_problem(cfg, err);
	begin_state(cfg, s);
	snprintf(name, sizeof(name), "%s/%s", s->proxy->name, s->id);
	s->tally = slot_begin(SLOT_SERVER, name, s->serial, &s->slot, err);
	if (!s->tally) {
		list_remove(&s->tracker_node);
		return -1;
	}
	if (make_parts(cfg, s) == 0 && !config_failed(cfg))
		return 0;
	fragment_problem(cfg, err);
	list_remove(&s->tracker_node);
	server_leave_parts(s);
	slot_cancel(s->slot);
	free_parts(s);
	return -1;
}

static void keep_line(struct arena *arena, struct server *s, char *const *words, unsigned count)
{
	size_t len = 0, size;
	unsigned i;
	char *line;

	for (i = 0; i < count; i++)
		len += strlen(words[i]) + 1;
	s->line = line = arena_alloc(arena, len + 1);
	s->line_len = len;
	for (i = 0; i < count; i++, line += size) {
		size = strlen(words[i]) + 1;
		memcpy(line, words[i], size);
	}
}

struct server *server_read_added(struct config *cfg, const struct proxies *all, struct proxy *px,
				 const char *name, char *const *words, unsigned own,
				 struct err *err)
{
	const struct server_settings *from = NULL;
	struct statement st;
	struct server *s;

	fragment_statement(cfg, &st, "add server", words);
	if (server_conf_check_name(&st, name) < 0) {
		fragment_problem(cfg, err);
		return NULL;
	}
	if (!*words) {
		err_set(err, "'server' expects <name> and <addr>[:<port>] as arguments.");
		return NULL;
	}
	if (words[1] && !strcmp(words[1], "from")) {
		from = words[2] ? settings_from(all, px, words[2]) : NULL;
		if (!from) {
			err_set(err,
				"'from' expects 'default-server', a server of the files or a "
				"defaults section, not '%.*s'.",
				STR_CUT(words[2] ? words[2] : "", 200));
			return NULL;
		}
	}
	s = server_conf_make(cfg, px, name);
	s->loc = st.loc;
	s->added = true;
	keep_line(cfg->arena, s, words, own);
	if (from)
		s->set = *from;
	else
		server_settings_init(&s->set);
	st.at = 0;
	s->from_words = from ? 2 : 0;
	if (server_conf_parse(&st, s) == 0 && !config_failed(cfg))
		return s;
	fragment_problem(cfg, err);
	return NULL;
}

struct server *server_add(const char *path, char *const *words, struct err *err)
{
	const char *name, *refused = refused_word(words);
	struct proxy *px = backend_of(path, &name, err);
	struct config *cfg;
	struct server *s;
	unsigned n;

	if (!px)
		return NULL;
	if (server_find(px, name) && *name != '#') {
		err_set(err, "Already exists a server with the same name in backend.");
		return NULL;
	}
	if (refused) {
		err_set(err, "'%s' option is not accepted for dynamic server", refused);
		return NULL;
	}
	cfg = fragment_new();
	if (!cfg) {
		err_set(err, "Out of memory.");
		return NULL;
	}
	for (n = 0; words[n]; n++)
		;
	s = server_read_added(cfg, proxies_running, px, name, words, n, err);
	if (!s || make(cfg, s, err) < 0) {
		fragment_free(&cfg);
		return NULL;
	}
	births++;
	server_conf_enter(s);
	fragment_done(cfg);
	if (s->tracked)
		server_follow_tracked(s);
	server_has_come(s);
	return s;
}
