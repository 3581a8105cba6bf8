/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Backends that come and go while the program serves. Called when a change of the ordered log is
 * carried out, between two turns of the loop, in every process. An added backend has the settings
 * of a defaults section; all that is made of them lies in an arena of its own, which goes when
 * nobody in this process has the backend any more. Whether a backend may go at all is decided once,
 * by the process that speaks for all: the others remove it whatever they have of it.
 */
#include "proxy/backend_add.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/clock.h"
#include "base/err.h"
#include "config/fragment.h"
#include "event/timer.h"
#include "net/bind_conf.h"
#include "proxy/guid.h"
#include "proxy/part.h"
#include "proxy/proxy_conf.h"
#include "proxy/server_add.h"
#include "proxy/sums.h"
#include "share/segment.h"
#include "tally/slot_life.h"

#include <string.h>

enum { REAP_MS = 50 };

unsigned backends_gone;
static uint32_t births; /* of backends added so far, the same in all processes */

/* -- who has left ------------------------------------------------------------------------------ */

static struct list left = LIST_INIT(left); /* struct proxy.node */
static unsigned left_count;
static void reap(struct timer *timer);
static struct timer reaper = { .fire = reap };

unsigned backends_left(void)
{
	return left_count;
}

static void leave_parts(struct proxy *px)
{
	struct proxy_part *const *part;

	for (part = proxy_parts; part && *part; part++)
		if ((*part)->leave)
			(*part)->leave(px);
}

static void free_parts(struct proxy *px)
{
	struct proxy_part *const *part;

	for (part = proxy_parts; part && *part; part++)
		if ((*part)->free)
			(*part)->free(px);
}

/* One of the files lies in the arena of its generation. */
static void backend_free(struct proxy *px)
{
	struct arena *arena = px->arena;

	list_remove(&px->node);
	left_count--;
	free_parts(px);
	slot_given_up(px->left_row, px->be_slot, &px->be->ended);
	if (arena)
		arena_free(&arena);
}

static bool is_idle(const struct proxy *px)
{
	return !px->in_use && !px->be->current && list_empty(&px->queue) && !servers_left_of(px);
}

/* An end of a stream in this turn may still look at its backend: it goes when it was idle twice. */
static void reap(struct timer *timer)
{
	struct proxy_part *const *part;
	struct proxy *px, *next;

	list_for_each(px, &left, node)
		px->in_use = false;
	for (part = proxy_parts; part && *part; part++)
		if ((*part)->mark)
			(*part)->mark();
	list_for_each_safe(px, next, &left, node) {
		if (!is_idle(px))
			px->was_idle = false;
		else if (px->was_idle)
			backend_free(px);
		else
			px->was_idle = true;
	}
	if (left_count)
		timer_set(timer, clock_now_ms + REAP_MS);
}

void backends_release(struct proxies *all)
{
	struct proxy *px, *next;
	struct arena *arena;

	timer_cancel(&reaper);
	list_for_each_safe(px, next, &left, node) {
		list_remove(&px->node);
		free_parts(px);
		arena = px->arena;
		if (arena)
			arena_free(&arena);
	}
	left_count = 0;
	list_for_each_safe(px, next, &all->list, node) {
		arena = px->arena;
		if (!arena)
			continue;
		list_remove(&px->node);
		arena_free(&arena);
	}
}

/* -- leaving ----------------------------------------------------------------------------------- */

static int forbidden(const struct proxy *px, struct err *err)
{
	if (proxy_is_udp(px))
		return err_set(err, "'%s' is a section udp-lb: only backends can be deleted.",
			       px->name);
	if (px->caps & PROXY_FRONTEND)
		return err_set(err, "'%s' is a listen section: only backends can be deleted.",
			       px->name);
	if (!px->state->unpublished)
		return err_set(err, "Backend '%s' is published: 'unpublish backend %s' comes "
				    "first.", px->name, px->name);
	if (px->named)
		return err_set(err, "Backend '%s' is named by the configuration (%s:%u): it "
				    "cannot be deleted.", px->name, px->named_at.file,
			       px->named_at.line);
	if (px->stick)
		return err_set(err, "Backend '%s' has a stick-table: it cannot be deleted.",
			       px->name);
	if (px->servers || px->dispatch)
		return err_set(err, "Backend '%s' still has servers: 'del server' comes first.",
			       px->name);
	return 0;
}

int backend_removable(const struct proxy *px, bool *never, struct err *err)
{
	struct proxy_tally sum;

	if (never)
		*never = true;
	if (forbidden(px, err) < 0)
		return -1;
	if (never)
		*never = false;
	proxy_sum(px, PROXY_BACKEND, &sum);
	if (sum.current || sum.queued)
		return err_set(err, "Backend '%s' still has streams.", px->name);
	return 0;
}

/* A worker of an earlier generation may have servers there that the present one has not, and rules
 * that name the backend. */
static bool is_held(struct proxy *px)
{
	struct server *s, *next;

	if (proxy_is_udp(px) || px->caps & PROXY_FRONTEND)
		return true; /* it serves clients of its own */
	for (s = px->servers; s; s = next) {
		next = s->next;
		server_remove(s);
	}
	return px->servers || px->dispatch || px->named || px->stick;
}

void backend_remove(struct proxy *px)
{
	px->state->unpublished = true;
	if (is_held(px))
		return;
	proxy_leave(proxies_running, px);
	backends_gone++;
	leave_parts(px);
	slot_retire(px->be_slot);
	px->left_row = segment_own_row;
	list_append(&left, &px->node);
	left_count++;
	if (!timer_armed(&reaper))
		timer_set(&reaper, clock_now_ms + 1);
}

void backend_publish(struct proxy *px, bool published)
{
	px->state->unpublished = !published;
}

/* -- coming ------------------------------------------------------------------------------------ */

static const struct proxy *defaults_named(const struct proxies *all, const char *name,
					  struct err *err)
{
	const struct proxy *px, *found = NULL;

	list_for_each(px, &all->defaults, node) {
		if (!px->name || strcmp(px->name, name) != 0)
			continue;
		if (found) {
			err_set(err, "There are two defaults sections '%.*s'.", STR_CUT(name, 200));
			return NULL;
		}
		found = px;
	}
	if (!found)
		err_set(err, "There is no defaults section '%.*s'.", STR_CUT(name, 200));
	return found;
}

/* What the words say; *mode: -1 without one. */
static int read_words(char *const *words, const char **from, int *mode, struct err *err)
{
	*from = NULL;
	*mode = -1;
	for (; *words; words += 2) {
		if (strcmp(*words, "from") != 0 && strcmp(*words, "mode") != 0 &&
		    strcmp(*words, "guid") != 0)
			return err_set(err, "'%.*s' is not known: 'from <defaults>', 'mode "
					    "tcp|http' and 'guid <id>' are.", STR_CUT(*words, 200));
		if (!words[1])
			return err_set(err, "'%s' expects a value.", *words);
		if (**words == 'g')
			continue; /* read_guid */
		if (**words == 'f')
			*from = words[1];
		else if (!strcmp(words[1], "tcp") || !strcmp(words[1], "http"))
			*mode = *words[1] == 't' ? MODE_TCP : MODE_HTTP;
		else
			return err_set(err, "'mode' is 'tcp' or 'http', not '%.*s'.",
				       STR_CUT(words[1], 200));
	}
	return *from ? 0 : err_set(err, "'from' and the name of a defaults section are expected.");
}

static int read_guid(struct config *cfg, const struct proxies *all, struct statement *st,
		     char *const *words, struct proxy *px)
{
	static const struct keyword row = { .name = "guid",
					    .offset = offsetof(struct proxy, guid) };
	const struct guid_owner owner = { .proxy = px };
	int i;

	for (i = 0; words[i]; i += 2) {
		st->at = i + 1;
		if (!strcmp(words[i], "guid") && set_guid(st, &row, px) < 0)
			return -1;
	}
	return guid_check(cfg, all, &owner);
}

struct proxy *backend_read_added(struct config *cfg, const struct proxies *all, const char *name,
				 char *const *words, struct err *err)
{
	const struct proxy *defaults;
	struct statement st;
	struct proxy *px;
	const char *from;
	int mode;

	fragment_statement(cfg, &st, "add backend", words);
	if (!*name) {
		err_set(err, "A name is expected.");
		return NULL;
	}
	if (proxy_check_name(&st, name, "a name", NAME_MOST)) {
		fragment_problem(cfg, err);
		return NULL;
	}
	if (read_words(words, &from, &mode, err) < 0)
		return NULL;
	defaults = defaults_named(all, from, err);
	if (!defaults)
		return NULL;
	if (mode < 0 && !defaults->set.mode_given) {
		err_set(err, "'mode' is expected: defaults section '%s' has none.", from);
		return NULL;
	}
	px = proxy_new(cfg, arena_strdup(cfg->arena, name), PROXY_BACKEND, &st.loc, &defaults->set);
	px->defaults = (struct proxy *)(uintptr_t)defaults;
	px->added = px->starts_unpublished = true;
	if (mode >= 0)
		px->set.mode = mode;
	if (read_guid(cfg, all, &st, words, px) < 0) {
		fragment_problem(cfg, err);
		return NULL;
	}
	return px;
}

/* Behind all others: so it keeps its number over a reload of the same files. */
static int next_id(const struct proxies *all)
{
	const struct list *const lists[] = { &all->list, &all->stats_frontends, &all->peers };
	const struct proxy *px;
	int id = 0;

	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		list_for_each(px, lists[i], node)
			id = px->uuid > id ? px->uuid : id;
	return id + 1;
}

static int make_parts(struct config *cfg, struct proxy *px)
{
	struct proxy_part *const *part;

	for (part = proxy_parts; part && *part; part++)
		if ((*part)->make && (*part)->make(cfg, px) < 0)
			return -1;
	return 0;
}

static int make(struct config *cfg, struct proxy *px, struct err *err)
{
	px->arena = cfg->arena;
	px->serial = births + 1;
	px->uuid = next_id(proxies_running);
	px->state = arena_alloc(cfg->arena, sizeof(*px->state));
	px->state->changed_ms = clock_now_ms;
	px->state->unpublished = px->starts_unpublished;
	px->be = slot_begin(SLOT_BACKEND, px->name, px->serial, &px->be_slot, err);
	if (!px->be)
		return -1;
	proxy_ready(px);
	if (make_parts(cfg, px) == 0 && !config_failed(cfg))
		return 0;
	fragment_problem(cfg, err);
	leave_parts(px);
	slot_cancel(px->be_slot);
	free_parts(px);
	return -1;
}

struct proxy *backend_add(const char *name, char *const *words, struct err *err)
{
	struct config *cfg;
	struct proxy *px;

	if (proxy_find(proxies_running, name, PROXY_BACKEND) && *name != '#') {
		err_set(err, "Already exists a backend with the same name.");
		return NULL;
	}
	cfg = fragment_new();
	if (!cfg) {
		err_set(err, "Out of memory.");
		return NULL;
	}
	px = backend_read_added(cfg, proxies_running, name, words, err);
	if (!px || make(cfg, px, err) < 0) {
		fragment_free(&cfg);
		return NULL;
	}
	births++;
	proxy_enter(proxies_running, cfg->arena, px);
	fragment_done(cfg);
	return px;
}
