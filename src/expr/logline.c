/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Composes lines about traffic (expr/logline.h). Called by whoever has something to say of a
 * stream, a handshake or a session of datagrams. Nothing here allocates: there is one line at a
 * time.
 */
#include "expr/logline.h"

#include "base/bug.h"
#include "expr/logformat.h"
#include "expr/view.h"
#include "log/target.h"
#include "proxy/proxy.h"

struct composing {
	struct log_writer writer;
	const struct logline *line;
	const struct logformat *format, *sd; /* of what the message says */
	bool composed;
	struct log_message message;
};

static char line_memory[LOG_LEN_MAX + 1], sd_memory[LOG_LEN_MAX + 1];

static struct span compose_text(const struct logformat *format, const struct view *view,
				char *memory, bool encoded)
{
	struct text t;

	/* An object is cut for each target by itself. */
	text_init(&t, memory, encoded ? LOG_LEN_MAX + 1 : log_max_len());
	logformat_write(format, view, &t);
	return (struct span){ t.ptr, t.len };
}

static void compose(struct composing *c, const struct logformat *format, const struct logformat *sd)
{
	const struct view *view = c->line->view;
	struct log_message *m = &c->message;

	*m = (struct log_message){ .msg = c->line->msg };
	if (format) {
		m->encoding = logformat_encoding(format);
		m->msg = compose_text(format, view, line_memory, m->encoding);
	}
	if (sd)
		m->sd = compose_text(sd, view, sd_memory, false);
	while (m->sd.len && m->sd.ptr[m->sd.len - 1] == ' ')
		m->sd.len--; /* one blank parts it from the text */
	c->format = format;
	c->sd = sd;
	c->composed = true;
}

static const struct log_message *compose_form(struct log_writer *writer,
					      const struct log_form *form)
{
	struct composing *c = container_of(writer, struct composing, writer);
	const struct logformat *format = form && form->format ? form->format : c->line->format;
	const struct logformat *sd = form && form->sd ? form->sd : c->line->sd;

	if (!c->composed || c->format != format || c->sd != sd)
		compose(c, format, sd);
	return c->message.msg.len ? &c->message : NULL;
}

bool logline_send(const struct logline *line, const struct proxy *px)
{
	struct composing c = {
		.writer = { .step = line->step, .profile = line->profile, .compose = compose_form },
		.line = line,
	};

	return log_write(px->set.log, line->level, &c.writer);
}

static void show_form(struct composing *c, const struct log_profile *profile, logline_say *say,
		      void *arg)
{
	const struct log_form *form = log_profile_form(profile, c->line->step);
	const struct log_message *message;

	if (form && form->drop)
		return;
	message = compose_form(&c->writer, form);
	if (message)
		say(arg, message->msg);
}

void logline_show(const struct logline *line, const struct proxy *px, logline_say *say, void *arg)
{
	struct composing c = { .line = line };
	unsigned i;

	if (line->profile || !px->log_profiles) {
		show_form(&c, line->profile, say, arg);
		return;
	}
	for (i = 0; i < px->log_profile_count; i++)
		show_form(&c, px->log_profiles[i], say, arg);
}
