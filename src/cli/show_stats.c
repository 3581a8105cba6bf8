/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * show info, show stat, show schema json: the numbers of stats/ in the three forms.
 */
#include "cli/modes.h"
#include "cli/tables.h"
#include "proxy/proxy.h"
#include "stats/info.h"
#include "stats/stat_say.h"
#include "stream/stream.h"

/* -- show info ------------------------------------------------------------------------------- */

struct info_state {
	enum stat_form form;
	bool help, comma;
	int at;
	struct info info;
};

/* A word that says the form, of show info and show stat alike. */
static void form_word(const char *word, enum stat_form *form, bool *help)
{
	if (!strcmp(word, "typed"))
		*form = STAT_TYPED;
	else if (!strcmp(word, "json"))
		*form = STAT_JSON;
	else if (!strcmp(word, "desc"))
		*help = true;
}

static int info_start(struct cli_call *call, struct err *err)
{
	struct info_state *state = CLI_STATE_OF(struct info_state, call);
	bool as_float = false;

	(void)err;
	for (int i = 0; i < call->argc; i++) {
		form_word(call->argv[i], &state->form, &state->help);
		if (!strcmp(call->argv[i], "float"))
			as_float = true;
	}
	info_fill(&state->info, as_float);
	if (state->form == STAT_JSON)
		text_char(call->out, '[');
	return 0;
}

static void info_say(struct info_state *state, struct text *out)
{
	const struct stats_field *f = &info_fields[state->at];
	const struct stats_value *v = &state->info.values[state->at];

	switch (state->form) {
	case STAT_CSV:
		text_printf(out, "%s: ", f->name);
		stats_print_value(out, v);
		if (state->help)
			text_printf(out, ":\"%s\"", f->help);
		text_char(out, '\n');
		break;
	case STAT_TYPED:
		text_printf(out, "%d.%s.1", state->at, f->name);
		stats_print_typed(out, f, v, state->help);
		break;
	case STAT_JSON:
		text_str(out, state->comma ? ",{" : "{");
		stats_print_json(out, f, state->at, v);
		text_char(out, '}');
		state->comma = true;
		break;
	}
}

static enum cli_step info_next(struct cli_call *call)
{
	struct info_state *state = CLI_STATE_OF(struct info_state, call);

	if (state->at == INFO_FIELDS) {
		if (state->form == STAT_JSON)
			text_str(call->out, "]\n");
		return CLI_END;
	}
	if (state->info.values[state->at].type != STATS_NONE)
		info_say(state, call->out);
	state->at++;
	return CLI_MORE;
}

/* -- show stat ------------------------------------------------------------------------------- */

/* "domain proxy" in front. Returns the number of words, or -1. */
static int stat_parse_domain(struct cli_call *call, struct err *err)
{
	if (strcmp(cli_arg(call, 0), "domain"))
		return 0;
	if (!strcmp(cli_arg(call, 1), "proxy"))
		return 2;
	if (!strcmp(cli_arg(call, 1), "dns"))
		return err_set(err, "Statistics domain 'dns' is not supported yet.");
	return err_set(err, "Invalid statistics domain.");
}

static bool stat_is_option(const char *word)
{
	static const char *const words[] = { "typed", "json", "desc", "up", "no-maint" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(word, words[i]))
			return true;
	return false;
}

/* "<iid|proxy> <type> <sid>", all three or none. Returns the number of words, or -1. */
static int stat_parse_filter(struct cli_call *call, int i, struct stat_scan *c, struct err *err)
{
	const struct proxy *px;
	int64_t n;

	if (call->argc - i < 3 || stat_is_option(call->argv[i]))
		return 0;
	if (str_to_int(call->argv[i], INT32_MIN, INT32_MAX, &n)) {
		c->iid = (int)n;
	} else {
		px = proxy_find(proxies_running, call->argv[i], PROXY_FRONTEND);
		if (!px)
			px = proxy_find(proxies_running, call->argv[i], PROXY_BACKEND);
		if (!px)
			return err_set(err, "No such proxy.");
		c->iid = px->uuid;
	}
	if (!str_to_int(call->argv[i + 1], INT32_MIN, INT32_MAX, &n))
		return err_set(err, "<type> must be a number: 1 frontends, 2 backends, 4 servers, "
				    "8 listeners, added up; -1 for all.");
	c->types = (int)n;
	if (!str_to_int(call->argv[i + 2], INT32_MIN, INT32_MAX, &n))
		return err_set(err, "<sid> must be the number of a server, or -1 for all.");
	c->sid = (int)n;
	return 3;
}

static void stat_parse_options(struct cli_call *call, int i, struct stat_teller *state)
{
	for (; i < call->argc; i++) {
		form_word(call->argv[i], &state->form, &state->help);
		if (!strcmp(call->argv[i], "up"))
			state->scan.options |= STAT_UP;
		else if (!strcmp(call->argv[i], "no-maint"))
			state->scan.options |= STAT_NO_MAINT;
	}
}

static int stat_start(struct cli_call *call, struct err *err)
{
	struct stat_teller *state = CLI_STATE_OF(struct stat_teller, call);
	int n, i;

	stat_scan_init(&state->scan);
	if (cli_level(call->cli) >= LEVEL_OPERATOR)
		state->scan.options |= STAT_LEGENDS;
	i = stat_parse_domain(call, err);
	if (i < 0)
		return -1;
	n = stat_parse_filter(call, i, &state->scan, err);
	if (n < 0)
		return -1;
	stat_parse_options(call, i + n, state);
	streams_count_bytes();
	return 0;
}

static enum cli_step stat_say_next(struct cli_call *call)
{
	struct stat_teller *state = CLI_STATE_OF(struct stat_teller, call);

	if (call->resumed)
		stat_scan_resume(&state->scan);
	return stat_say(state, call->out) ? CLI_MORE : CLI_END;
}

/* -- show schema json ------------------------------------------------------------------------ */

static int schema_start(struct cli_call *call, struct err *err)
{
	(void)err;
	stat_say_schema(call->out);
	return 0;
}

const struct cli_command cli_stats_commands[] = {
	{ .words = "show info", .args = "[desc|json|typed|float]*", .level = LEVEL_USER,
	  .start = info_start, .next = info_next, CLI_STATE(struct info_state),
	  .help = "report information about the running process" },
	{ .words = "show stat", .args = "[desc|json|no-maint|typed|up]*", .level = LEVEL_USER,
	  .start = stat_start, .next = stat_say_next, CLI_STATE(struct stat_teller),
	  .help = "report counters for each proxy and server" },
	{ .words = "show schema json", .level = LEVEL_USER, .start = schema_start,
	  .help = "report schema used for stats" },
	{ .words = NULL },
};
