/* SPDX-License-Identifier: BSD-2-Clause */
/* How an object is, in the words of the stats page, and whether that is trouble. */
#include "stats/html.h"

#include "check/check.h"
#include "proxy/proxy.h"

#include <string.h>

const struct html_state_name html_states[HTML_STATES] = {
	[HTML_UP] = { "up", "UP", "up and checked" },
	[HTML_GOING_DOWN] = { "going_down", "UP, going down", "still up, but checks fail" },
	[HTML_GOING_UP] = { "going_up", "DOWN, going up", "still down, but checks succeed" },
	[HTML_DOWN] = { "down", "DOWN", "down" },
	[HTML_NOLB] = { "nolb", "NOLB", "up, but gets no new sessions: the check said so" },
	[HTML_DRAIN] = { "drain", "DRAIN", "up, but gets no new sessions: drained, or weight 0" },
	[HTML_NO_CHECK] = { "no_check", "no check", "in use, and not checked" },
	[HTML_MAINT] = { "maint", "MAINT", "in maintenance" },
	[HTML_OPEN] = { "open", "OPEN", "accepts connections" },
	[HTML_FULL] = { "full", "FULL", "at its limit: connections wait" },
	[HTML_PAUSED] = { "paused", "PAUSED", "does not accept connections" },
};

static const struct server *html_checked_server(const struct server *s)
{
	while (s->tracked)
		s = s->tracked;
	return s;
}

enum html_state html_server_state(const struct server *s)
{
	const struct server_state *st = s->state;
	const struct server *checked = html_checked_server(s);
	bool is_checked = (check_of(checked) && !checked->state->check.paused) || check_agent_of(s);
	int full = checked->set.rise + checked->set.fall - 1;

	if (st->admin & ADMIN_MAINT)
		return HTML_MAINT;
	if (st->op == SERVER_DOWN)
		return is_checked && checked->state->health > 0 ? HTML_GOING_UP : HTML_DOWN;
	if (st->admin & (ADMIN_DRAIN | ADMIN_EJECTED) || (!st->user_weight && is_checked))
		return HTML_DRAIN;
	if (st->op == SERVER_STOPPING)
		return HTML_NOLB;
	if (!is_checked)
		return HTML_NO_CHECK;
	return checked->state->health < full ? HTML_GOING_DOWN : HTML_UP;
}

enum html_state html_row_state(const struct html *h)
{
	const char *status = h->row.values[STAT_status].str;

	switch (h->row.kind) {
	case STAT_SERVER:
		return html_server_state(h->row.server);
	case STAT_BACKEND:
		return strncmp(status, "DOWN", 4) ? HTML_UP : HTML_DOWN;
	default:
		return !strcmp(status, "OPEN") ? HTML_OPEN :
		       !strcmp(status, "FULL") ? HTML_FULL : HTML_PAUSED;
	}
}

int html_state_find(const char *class)
{
	for (int i = 0; i < HTML_STATES; i++)
		if (!strcmp(html_states[i].class, class))
			return i;
	return -1;
}

/* -- trouble --------------------------------------------------------------------------------- */

static uint64_t html_value(const struct html *h, enum stat_field f)
{
	return h->row.values[f].type == STATS_NONE ? 0 : h->row.values[f].u64;
}

bool html_in_trouble(const struct html *h)
{
	uint64_t limit = html_value(h, STAT_slim);

	switch (h->state) {
	case HTML_GOING_DOWN:
	case HTML_GOING_UP:
	case HTML_DOWN:
	case HTML_NOLB:
	case HTML_FULL:
		return true;
	case HTML_MAINT: /* somebody wants it so */
		return false;
	default:
		return html_value(h, STAT_qcur) || (h->has_history && history_fails(&h->history)) ||
		       (limit && h->row.kind != STAT_BACKEND &&
			html_value(h, STAT_scur) * 5 >= limit * 4);
	}
}
