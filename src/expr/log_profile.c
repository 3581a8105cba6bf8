/* SPDX-License-Identifier: BSD-2-Clause */
/* Sections log-profile: formats of their own for targets of the log (log/profile.h). What a format
 * may look at depends on the step. Called while the configuration is read. */
#include "base/arena.h"
#include "base/err.h"
#include "expr/expr.h"
#include "expr/logformat.h"
#include "log/log_conf.h"
#include "log/profile.h"

#include <string.h>

static void *profile_begin(struct statement *st)
{
	struct log_data *data = config_data(st->cfg, &log_module);
	const char *name = stmt_need(st, "name of the log-profile");
	struct log_profile *profile;

	if (!name || stmt_end(st))
		return NULL;
	list_for_each(profile, &data->profiles, node)
		if (!strcmp(profile->name, name)) {
			stmt_error(st, 1, "log-profile '%s' exists already, since %s:%u", name,
				   profile->loc.file, profile->loc.line);
			return NULL;
		}
	profile = arena_alloc(st->cfg->arena, sizeof(*profile));
	profile->name = arena_strdup(st->cfg->arena, name);
	profile->loc = st->loc;
	list_append(&data->profiles, &profile->node);
	return profile;
}

static int parse_tag(struct statement *st, const struct keyword *kw, void *object)
{
	struct log_profile *profile = object;
	const char *tag = stmt_need(st, "tag");

	(void)kw;
	if (!tag)
		return -1;
	if (!*tag)
		return stmt_error(st, st->at - 1, "the tag must not be empty");
	profile->tag = arena_strdup(st->cfg->arena, tag);
	return stmt_end(st);
}

/* Where expressions of the step run: those of do-log where the rule stands, others at the log. */
static unsigned step_place(enum log_step step)
{
	switch (step) {
	case LOG_STEP_TCP_REQ_CONN:
		return AT_CONN;
	case LOG_STEP_TCP_REQ_SESS:
		return AT_SESSION;
	case LOG_STEP_TCP_REQ_CONT:
	case LOG_STEP_HTTP_REQ:
		return AT_REQUEST;
	case LOG_STEP_TCP_RES_CONT:
	case LOG_STEP_HTTP_RES:
	case LOG_STEP_HTTP_AFTER_RES:
		return AT_RESPONSE;
	default:
		return AT_LOG;
	}
}

static int parse_format(struct statement *st, enum log_step step, struct logformat **format)
{
	struct expr_context ctx = { .cfg = st->cfg, .loc = st->loc };
	const char *text = stmt_need(st, "a log format");
	struct err err = { "" };

	if (!text)
		return -1;
	*format = logformat_compile(text, &ctx, step_place(step), &err);
	return *format ? 0 : stmt_error(st, st->at - 1, "%s", err.text);
}

static int step_unknown(struct statement *st)
{
	const char *names[LOG_STEPS + 2] = { "any" };
	unsigned n = 1, step;

	for (step = 0; step < LOG_STEPS; step++)
		if (log_steps[step].name)
			names[n++] = log_steps[step].name;
	return stmt_unknown(st, st->at - 1, "step", names);
}

static int parse_on(struct statement *st, const struct keyword *kw, void *object)
{
	struct log_profile *profile = object;
	const char *word = stmt_need(st, "a step");
	enum log_step step;
	struct log_form *form;

	(void)kw;
	if (!word)
		return -1;
	step = log_step_find(word);
	if (!step && strcmp(word, "any"))
		return step_unknown(st);
	form = step ? &profile->form[step] : &profile->any;
	*form = (struct log_form){ .set = true };
	for (;;) {
		if (stmt_take(st, "drop"))
			form->drop = true;
		else if (stmt_take(st, "format")) {
			if (parse_format(st, step, &form->format))
				return -1;
		} else if (stmt_take(st, "sd")) {
			if (parse_format(st, step, &form->sd))
				return -1;
		} else {
			return stmt_end(st);
		}
	}
}

static const struct keyword profile_keywords[] = {
	{ .name = "log-tag",
	  .scope = SCOPE_LOG_PROFILE,
	  .args = "<string>",
	  .parse = parse_tag,
	  .dflt = "that of the proxy",
	  .help = "the name in front of each line" },
	{ .name = "on",
	  .scope = SCOPE_LOG_PROFILE,
	  .args = "<step> [drop] [format <format>] [sd <format>]",
	  .parse = parse_on,
	  .help = "what a line says at accept, request, connect, response, close, error, at a "
		  "do-log, "
		  "or at any" },
	{ .name = NULL },
};

static const struct section profile_sections[] = {
	{ .name = "log-profile",
	  .scope = SCOPE_LOG_PROFILE,
	  .begin = profile_begin,
	  .help = "what targets of the log get instead of what the frontend says" },
	{ .name = NULL },
};

const struct module log_profile_module = {
	.name = "log profiles",
	.keywords = profile_keywords,
	.sections = profile_sections,
};
