/* SPDX-License-Identifier: BSD-2-Clause */
/* "trace request [width COLUMNS] [colour] [frontend NAME] [if COND]": the way of the next request
 * that matches, as "penstock explain" would tell it, while it happens. The record
 * (explain/record.h) is made by the steps of that stream alone; others are not slower for it. A
 * stream that does not match is let go as soon as that is known, and the next one is looked at. One
 * record at a time in a process. */
#include "base/arena.h"
#include "base/bug.h"
#include "base/fold.h"
#include "cli/command.h"
#include "cli/modes.h"
#include "cli/tables.h"
#include "cli/trace_cond.h"
#include "explain/record.h"
#include "explain/say.h"
#include "proxy/proxy.h"
#include "stream/stream.h"

#include <stdio.h>
#include <stdlib.h>

struct trace_state {
	struct cli *cli;
	struct arena *arena;      /* of the condition */
	struct arena *told;       /* of the record; reset for each stream that is looked at */
	struct trace_cond *cond;  /* NULL: every request is wanted */
	const struct proxy *frontend;
	unsigned width;           /* of a terminal; 0: it is told as to a file */
	bool colour;
	struct record record;
	bool recording;
	const struct entry *shown; /* the last one that was said; NULL: none was */
	char *text;               /* said, and not sent yet */
	size_t len, at;
	bool ended;               /* its end is in text */
};

static struct trace_state *trace_of(struct record *r)
{
	return container_of(r, struct trace_state, record);
}

static bool trace_wanted(struct record *r, struct stream *s)
{
	struct trace_state *state = trace_of(r);

	return !state->cond || trace_cond_holds(state->cond, s);
}

static void trace_changed(struct record *r)
{
	cli_wake(trace_of(r)->cli);
}

/* ---- what is said -------------------------------------------------------------------------- */

static void trace_title(const struct say *say, const char *title)
{
	say_as(say, SAY_TITLE);
	fprintf(say->out, "\n%s", title);
	say_as(say, SAY_PLAIN);
}

static void trace_say_end(const struct say *say, const struct record *r)
{
	const struct outcome *o = &r->outcome;

	trace_title(say, "end");
	fprintf(say->out, " (%s)", o->code ? o->code : "??");
	if (o->status)
		fprintf(say->out, ", status %u", o->status);
	fprintf(say->out, "\n         %s\n", o->reason ? o->reason : "");
	if (r->full)
		fprintf(say->out, "         there was no memory for all that happened\n");
	if (!r->log)
		return;
	trace_title(say, "log\n");
	say_log(say, r->log);
}

/* What is in text, for a terminal of that width. Out of memory: it stays as it is. */
static void trace_fold(struct trace_state *state)
{
	char *folded = NULL;
	size_t len = 0;
	FILE *out = state->width && state->text ? open_memstream(&folded, &len) : NULL;

	if (!out)
		return;
	fold_text(out, state->text, state->width);
	if (fclose(out) != 0) {
		free(folded);
		return;
	}
	free(state->text);
	state->text = folded;
	state->len = len;
}

/* What was told since the last time. */
static void trace_say(struct trace_state *state)
{
	struct record *r = &state->record;
	const struct entry *next = state->shown ? state->shown->next : r->root->children, *e;
	struct say say = { .out = open_memstream(&state->text, &state->len),
			   .colour = state->colour };

	state->at = 0;
	if (!say.out)
		return;
	if (!state->shown && next)
		fprintf(say.out, "request of frontend %s\n", r->outcome.frontend);
	say_entries(&say, next);
	for (e = next; e; e = e->next)
		state->shown = e;
	if (r->outcome.ended) {
		trace_say_end(&say, r);
		state->ended = true;
	}
	fclose(say.out);
	trace_fold(state);
}

static bool trace_has_more(const struct trace_state *state)
{
	const struct record *r = &state->record;

	if (!r->decided || state->ended)
		return false;
	return r->outcome.ended || (state->shown ? state->shown->next : r->root->children) != NULL;
}

static enum cli_step trace_next(struct cli_call *call)
{
	struct trace_state *state = CLI_STATE_OF(struct trace_state, call);
	size_t n;

	if (cli_key_pressed(call->cli))
		return CLI_END;
	if (state->at == state->len && trace_has_more(state)) {
		free(state->text);
		state->text = NULL;
		state->len = 0;
		trace_say(state);
	}
	n = state->len - state->at < CLI_PIECE - 1 ? state->len - state->at : CLI_PIECE - 1;
	text_add(call->out, state->text + state->at, n);
	state->at += n;
	if (state->at < state->len)
		return CLI_MORE;
	return state->ended ? CLI_END : CLI_WAIT;
}

/* ---- what is asked ------------------------------------------------------------------------- */

static int trace_terminal(const struct cli_call *call, struct trace_state *state, int *at,
			  struct err *err)
{
	int64_t width;

	if (*at < call->argc && !strcmp(call->argv[*at], "width")) {
		if (!str_to_int(cli_arg(call, *at + 1), FOLD_LEAST, 10000, &width))
			return err_set(err, "width: columns of a terminal, 40 to 10000, are "
					    "expected, not '%s'.",
				       cli_arg(call, *at + 1));
		state->width = (unsigned)width;
		*at += 2;
	}
	if (*at < call->argc && !strcmp(call->argv[*at], "colour")) {
		state->colour = true;
		++*at;
	}
	return 0;
}

static int trace_words(const struct cli_call *call, struct trace_state *state, struct err *err)
{
	int at = 0;

	if (trace_terminal(call, state, &at, err) < 0)
		return -1;
	if (at < call->argc && !strcmp(call->argv[at], "frontend")) {
		state->frontend =
			proxy_find(proxies_running, cli_arg(call, at + 1), PROXY_FRONTEND);
		if (!state->frontend)
			return err_set(err, "There is no frontend '%s'.", cli_arg(call, at + 1));
		at += 2;
	}
	if (at == call->argc)
		return 0;
	if (strcmp(call->argv[at], "if") != 0)
		return err_set(err, "'trace request [width COLUMNS] [colour] [frontend NAME] "
				    "[if CONDITION]' is expected, not '%s'.",
			       call->argv[at]);
	state->cond = trace_cond_parse(state->arena, state->frontend, call->argv + at + 1, err);
	return state->cond ? 0 : -1;
}

static int trace_start(struct cli_call *call, struct err *err)
{
	struct trace_state *state = CLI_STATE_OF(struct trace_state, call);

	state->cli = call->cli;
	state->arena = arena_new_limited(16384);
	state->told = arena_new_limited(16384);
	if (!state->arena || !state->told)
		return err_set(err, "Out of memory.");
	if (trace_words(call, state, err) < 0)
		return -1;
	if (record_busy())
		return err_set(err, "Another 'trace request' waits in this process.");
	record_begin(&state->record, state->told, state->frontend);
	state->record.wanted = trace_wanted;
	state->record.changed = trace_changed;
	state->recording = true;
	text_str(call->out, "The next request that matches is told here. Any key stops.\n");
	return 0;
}

static void trace_end(struct cli_call *call)
{
	struct trace_state *state = CLI_STATE_OF(struct trace_state, call);

	if (!state)
		return;
	if (state->recording)
		record_end();
	free(state->text);
	if (state->cond)
		trace_cond_free(state->cond);
	if (state->arena)
		arena_free(&state->arena);
	if (state->told)
		arena_free(&state->told);
}

/* The workers wait, and one tells; what is wrong with the words is said here, once. */
static bool trace_gathers(const struct cli_call *call)
{
	struct trace_state state = { .arena = arena_new_limited(4096) };
	bool good = state.arena && trace_words(call, &state, NULL) == 0;

	if (state.cond)
		trace_cond_free(state.cond);
	if (state.arena)
		arena_free(&state.arena);
	return good;
}

const struct cli_command cli_trace_commands[] = {
	{ .words = "trace request",
	  .args = "[width <columns>] [colour] [frontend <name>] [if <condition>]",
	  .level = LEVEL_OPERATOR,
	  .flags = CLI_GATHER | CLI_NAMED | CLI_KEY | CLI_FIRST,
	  .gathers = trace_gathers,
	  .follows = trace_gathers,
	  .start = trace_start,
	  .next = trace_next,
	  .end = trace_end,
	  CLI_STATE(struct trace_state),
	  .help = "tell the way of the next request that matches" },
	{ 0 },
};
