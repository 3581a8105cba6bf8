/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * "added-servers keep": the parent writes the words of servers and backends that commands have
 * added into a note (share.md) right before it executes itself anew. Called by facts.c. The next
 * image reads it (servers_kept.c).
 *
 * A record is the path, the numeric id, the state ("disabled", "enabled"; of a backend, whose path
 * has no slash, "unpublished", "published") and the words, each with its NUL, and an empty text. A
 * backend stands before its servers.
 */
#include "proxy/servers_note.h"

#include "proxy/proxy.h"
#include "share/region.h"
#include "share/segment.h"

#include <stdio.h>
#include <string.h>

enum { NOTE_VERSION = 1 };

struct region servers_note = REGION_NONE;

const struct region_spec *servers_note_spec(void)
{
	static struct region_spec spec = { .name = "servers",
					   .what = "added servers",
					   .note = true };

	if (!spec.layout)
		spec.layout = region_layout(NOTE_VERSION, NULL, 0);
	return &spec;
}

static bool put(size_t *at, const char *text, size_t len)
{
	if (!region_write(&servers_note, *at, text, len))
		return false;
	*at += len;
	return true;
}

/* What is counted and known of it is found by the name that it has now. */
static void name_slot(const struct server *s)
{
	char name[512];

	snprintf(name, sizeof(name), "%s/%s", s->proxy->name, s->id);
	if (strcmp(segment_slot_name(segment, s->slot), name) != 0)
		segment_rename(segment, s->slot, name);
}

static bool put_server(size_t *at, const struct server *s)
{
	bool disabled = s->state->admin & ADMIN_FORCED_MAINT;
	char head[600];
	int len = snprintf(head, sizeof(head), "%s/%s%c%d%c%s%c", s->proxy->name, s->id, 0, s->puid,
			   0, disabled ? "disabled" : "enabled", 0);

	return len > 0 && (size_t)len < sizeof(head) && put(at, head, (size_t)len) &&
	       put(at, s->line, s->line_len) && put(at, "", 1);
}

static bool put_backend(size_t *at, const struct proxy *px)
{
	char text[800];
	int len = snprintf(text, sizeof(text), "%s%c%d%c%spublished%cfrom%c%s%cmode%c%s%c",
			   px->name, 0, px->uuid, 0, px->state->unpublished ? "un" : "", 0, 0,
			   px->defaults->name, 0, 0, proxy_mode_name(px), 0);

	return len > 0 && (size_t)len < sizeof(text) && put(at, text, (size_t)len) &&
	       (!px->guid || (put(at, "guid", 5) && put(at, px->guid, strlen(px->guid) + 1))) &&
	       put(at, "", 1);
}

/* One that is cut is none. */
void servers_keep(void)
{
	const struct proxy *px;
	const struct server *s;
	size_t at = 0, whole = 0;

	if (!region_is(&servers_note) || !region_cut(&servers_note, 0))
		return;
	list_for_each(px, &proxies_running->list, node) {
		if (!px->set.keep_added)
			continue;
		if (px->added && put_backend(&at, px))
			whole = at;
		at = whole;
		for (s = px->servers; s; s = s->next)
			if (s->added && put_server(&at, s)) {
				name_slot(s);
				whole = at;
			} else {
				at = whole;
			}
	}
	region_cut(&servers_note, whole);
}
