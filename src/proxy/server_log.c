/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the log and stderr say of transitions, word for word as the reference, so that existing
 * tools understand it. Called by server_change.c alone.
 */
#include "proxy/server_event.h"
#include "proxy/sums.h"

#include "base/str.h"
#include "log/log.h"

struct line {
	char buf[512];
	struct text text;
};

/* "Server b/s", "Backup Server b/s" */
static void line_begin(struct line *line, const struct server *s)
{
	text_init(&line->text, line->buf, sizeof(line->buf));
	text_printf(&line->text, "%sServer %s/%s", s->set.options.on & SRV_BACKUP ? "Backup " : "",
		    s->proxy->name, s->id);
}

static void line_via(struct line *line, const struct server_event *ev)
{
	if (ev->via)
		text_printf(&line->text, " via %s/%s", ev->via->proxy->name, ev->via->id);
}

/* What the backend is left with. down: it has lost; else it has won. */
static void line_rest(struct line *line, const struct server_event *ev, bool down)
{
	const struct server *s = ev->server;

	text_printf(&line->text, ". %u active and %u backup servers %s.%s", ev->active, ev->backup,
		    down ? "left" : "online",
		    ev->backup && !ev->active ? " Running on backup." : "");
	if (down)
		text_printf(&line->text, " %u sessions active, %u requeued, %u remaining in queue.",
			    ev->sessions, ev->requeued, server_queued(s));
	else
		text_printf(&line->text, " %u sessions requeued, %u total in queue.", ev->requeued,
			    server_queued(s));
}

static void line_send(const struct line *line, const struct server *s, enum log_level level)
{
	if (!log_printf(s->proxy->set.log, level, "%s", line->buf))
		log_stderr(LOG_L_WARNING, "%s", line->buf);
}

static enum log_level loss_level(const struct server_event *ev)
{
	return ev->was_usable ? LOG_L_ALERT : LOG_L_NOTICE;
}

/* "remains in forced drain mode" and the like, when maintenance or an own drain ends. */
static void log_remaining_drain(const struct server_event *ev)
{
	struct server *s = ev->server;
	struct line line;

	if (!(s->state->admin & ADMIN_DRAIN))
		return;
	line_begin(&line, s);
	if (s->state->admin & ADMIN_FORCED_DRAIN) {
		text_str(&line.text, " remains in forced drain mode.");
	} else {
		text_str(&line.text, " is leaving forced drain but remains in drain mode");
		if (s->tracked)
			text_printf(&line.text, " via %s/%s", s->tracked->proxy->name,
				    s->tracked->id);
		text_char(&line.text, '.');
	}
	line_send(&line, s, LOG_L_NOTICE);
}

void server_log_op(const struct server_event *ev)
{
	static const char *const names[] = { [SERVER_DOWN] = " is DOWN", [SERVER_UP] = " is UP",
					     [SERVER_STARTING] = " is UP",
					     [SERVER_STOPPING] = " is stopping" };
	const struct server *s = ev->server;
	bool down = s->state->op == SERVER_DOWN;
	struct line line;

	line_begin(&line, s);
	text_str(&line.text, names[s->state->op]);
	line_via(&line, ev);
	if (ev->reason)
		text_printf(&line.text, ", %s", ev->reason);
	line_rest(&line, ev, down);
	line_send(&line, s, down ? loss_level(ev) : LOG_L_NOTICE);
	if (!down)
		log_remaining_drain(ev);
}

void server_log_maint(const struct server_event *ev)
{
	const struct server *s = ev->server;
	struct line line;

	line_begin(&line, s);
	if (ev->was_down) {
		text_str(&line.text, " was DOWN and now enters maintenance");
		line_via(&line, ev);
		if (ev->reason)
			text_printf(&line.text, " (%s)", ev->reason);
		text_char(&line.text, '.');
		line_send(&line, s, LOG_L_NOTICE);
		return;
	}
	text_str(&line.text, " is going DOWN for maintenance");
	line_via(&line, ev);
	if (ev->reason)
		text_printf(&line.text, " (%s)", ev->reason);
	line_rest(&line, ev, true);
	line_send(&line, s, loss_level(ev));
}

static const char *op_name(const struct server *s)
{
	return s->state->op == SERVER_DOWN ? "DOWN" :
	       s->state->op == SERVER_STOPPING ? "NOLB" : "UP";
}

void server_log_ready(const struct server_event *ev)
{
	const struct server *s = ev->server;
	bool resolved = ev->admin_before & ADMIN_RESOLUTION;
	const char *host = resolved ? server_hostname(s) : NULL;
	struct line line;

	line_begin(&line, s);
	if (host)
		text_printf(&line.text, " ('%s')", host);
	text_printf(&line.text, " is %s/%s (", op_name(s),
		    s->state->admin & ADMIN_DRAIN ? "DRAIN" : "READY");
	if (resolved)
		text_str(&line.text, "resolves again).");
	else
		text_printf(&line.text, "leaving %smaintenance).",
			    ev->admin_before & ADMIN_FORCED_MAINT ? "forced " : "");
	line_send(&line, s, LOG_L_NOTICE);
	log_remaining_drain(ev);
}

void server_log_drain(const struct server_event *ev)
{
	const struct server *s = ev->server;
	struct line line;

	line_begin(&line, s);
	if (s->state->admin & ADMIN_DRAIN) {
		text_str(&line.text, " enters drain state");
		line_via(&line, ev);
		line_rest(&line, ev, s->state->op == SERVER_DOWN);
	} else {
		text_printf(&line.text, " is %s (leaving forced drain).", op_name(s));
	}
	line_send(&line, s, LOG_L_NOTICE);
}

void server_log_ejection(const struct server_event *ev)
{
	const struct server *s = ev->server;
	bool out = s->state->admin & ADMIN_EJECTED;
	struct line line;

	line_begin(&line, s);
	if (out)
		text_printf(&line.text, " is ejected %s", ev->reason ? ev->reason : "");
	else
		text_str(&line.text, " is back (no longer ejected)");
	line_rest(&line, ev, out);
	line_send(&line, s, LOG_L_NOTICE);
}

void server_log_still_maint(const struct server_event *ev)
{
	const struct server *s = ev->server;
	struct line line;

	if (!(ev->admin_before & ~s->state->admin & ADMIN_MAINT))
		return; /* one more reason to stay where it is */
	line_begin(&line, s);
	if (s->state->admin & ADMIN_FORCED_MAINT)
		text_str(&line.text, " remains in forced maintenance.");
	else if (s->tracked && s->state->admin & ADMIN_INHERITED_MAINT)
		text_printf(&line.text, " is leaving forced maintenance but remains in maintenance "
			    "via %s/%s.", s->tracked->proxy->name, s->tracked->id);
	else
		text_str(&line.text, " remains in maintenance: its name has no address.");
	line_send(&line, s, LOG_L_NOTICE);
}

void server_log_still_drain(const struct server_event *ev)
{
	if (ev->admin_before & ~ev->server->state->admin & ADMIN_DRAIN)
		log_remaining_drain(ev);
}
