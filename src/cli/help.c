/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * help, and what an unknown command is answered with: the commands that this level may use, those
 * that begin with the given words, those that look like them, or those that begin with the first
 * ones of the words. Called by interpreter.c for the words that no table has. One row a piece.
 */
#include "cli/help.h"

#include "base/bug.h"
#include "base/tables.h"
#include "cli/modes.h"

#include <ctype.h>
#include <stdlib.h>

enum { ROWS_MAX = 512, WORD_TEXT = 64 };

enum help_choice { HELP_ALL, HELP_PREFIX, HELP_NEAR };

struct help_state {
	enum help_choice choice;
	int words; /* HELP_PREFIX: so many of the given ones */
	int at; /* row to be shown next */
};

/* All rows by their words; those with CLI_LAST behind the others. A parent has other tables than
 * the workers that are forked from it later. */
static const struct cli_command *help_rows[ROWS_MAX];
static int help_count;
static const struct tables *help_tables; /* what they were collected from */

static int help_compare(const void *a, const void *b)
{
	const struct cli_command *x = *(const struct cli_command *const *)a;
	const struct cli_command *y = *(const struct cli_command *const *)b;

	if ((x->flags ^ y->flags) & CLI_LAST)
		return x->flags & CLI_LAST ? 1 : -1;
	return strcmp(x->words, y->words);
}

static void help_collect(void)
{
	struct tables_walk walk = { 0 };
	const struct cli_command *row;

	if (help_tables == cli_conversation_tables)
		return;
	help_tables = cli_conversation_tables;
	for (help_count = 0; (row = tables_next(help_tables, &walk)); help_count++) {
		BUG_ON(help_count == ROWS_MAX);
		help_rows[help_count] = row;
	}
	qsort(help_rows, (size_t)help_count, sizeof(help_rows[0]), help_compare);
}

/* The name comes first in what tables hold. */
_Static_assert(!offsetof(struct cli_command, words), "names");

static size_t rows_of(const struct tables *tables)
{
	struct tables_walk walk = { 0 };
	size_t n = 0;

	while (tables_next(tables, &walk))
		n++;
	return n;
}

int cli_add_commands(const struct cli_command *table, struct err *err)
{
	const struct cli_command *row;
	size_t n = rows_of(&cli_tables);

	for (row = table; row->words; row++)
		if (++n > ROWS_MAX)
			return err_set(err, "the command '%s' cannot be added: there are %d",
				       row->words, ROWS_MAX);
	help_tables = NULL;
	return tables_add(&cli_tables, table, err);
}

/* Does the row begin with the first of these words, the last of which may be the start of one? */
static bool help_begins_with(const struct cli_command *row, const char *const *given, int words)
{
	const char *w = row->words;

	for (int i = 0; i < words; i++) {
		size_t len = strlen(given[i]);
		size_t have = strcspn(w, " ");

		if (strncmp(w, given[i], len) || len > have ||
		    (len < have && i + 1 < words))
			return false;
		w += have;
		if (*w)
			w++;
		else if (i + 1 < words)
			return false;
	}
	return true;
}

/* How many words the row has. */
static int help_words(const struct cli_command *row)
{
	int n = 1;

	for (const char *w = row->words; *w; w++)
		n += *w == ' ';
	return n;
}

/* Do as many of the given words as the row has look like those of the row? */
static bool help_looks_like(const struct cli_command *row, const struct cli_call *call)
{
	char memory[WORD_TEXT], *p;
	struct text given;
	int n = help_words(row);

	text_init(&given, memory, sizeof(memory));
	for (int i = 0; i < n && i < call->argc; i++)
		text_printf(&given, "%s%s", i ? " " : "", call->argv[i]);
	for (p = memory; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	n = (int)strlen(row->words) / 4;
	return !given.cut && str_distance(memory, row->words, (unsigned)n) <= (unsigned)n;
}

static bool help_shows(const struct cli_command *row, const struct help_state *state,
		       const struct cli_call *call)
{
	if (row->flags & CLI_LATER || row->level > cli_level(call->cli) ||
	    (row->flags & CLI_HIDDEN && !(row->flags & CLI_LAST)) ||
	    (row->flags & CLI_EXPERT && !cli_mode(call->cli, CLI_EXPERT)))
		return false;
	if (state->choice == HELP_ALL)
		return true;
	return state->choice == HELP_PREFIX ? help_begins_with(row, (const char *const *)call->argv,
							     state->words) :
					      help_looks_like(row, call);
}

static bool help_finds(struct help_state *state, enum help_choice choice, int words,
		       const struct cli_call *call)
{
	state->choice = choice;
	state->words = words;
	for (int i = 0; i < help_count; i++)
		if (help_shows(help_rows[i], state, call))
			return true;
	return false;
}

static void help_choose(struct help_state *state, const struct cli_call *call)
{
	int words = call->argc;

	if (words && (help_finds(state, HELP_PREFIX, words, call) ||
		      help_finds(state, HELP_NEAR, 0, call)))
		return;
	while (--words > 0)
		if (help_finds(state, HELP_PREFIX, words, call))
			return;
	state->choice = HELP_ALL;
}

static int help_start(struct cli_call *call, struct err *err)
{
	struct help_state *state = CLI_STATE_OF(struct help_state, call);

	(void)err;
	help_collect();
	help_choose(state, call);
	cli_say(call, LOG_L_INFO, "The following commands are valid at this level:");
	return 0;
}

static int help_start_unknown(struct cli_call *call, struct err *err)
{
	struct help_state *state = CLI_STATE_OF(struct help_state, call);

	(void)err;
	help_collect();
	help_choose(state, call);
	if (state->choice == HELP_ALL)
		cli_say(call, LOG_L_INFO,
			"Unknown command. Please enter one of the following commands only:");
	else
		cli_say(call, LOG_L_INFO, "Unknown command, but maybe one of the following "
					  "ones is a better match:");
	return 0;
}

static enum cli_step help_next(struct cli_call *call)
{
	struct help_state *state = CLI_STATE_OF(struct help_state, call);
	const struct cli_command *row;
	char memory[256];
	struct text usage;

	if (state->at == help_count)
		return CLI_END;
	row = help_rows[state->at++];
	if (!(row->flags & CLI_LAST) && !help_shows(row, state, call))
		return CLI_MORE;
	text_init(&usage, memory, sizeof(memory));
	text_printf(&usage, "%s%s%s", row->words, row->args ? " " : "", row->args ? row->args : "");
	text_printf(call->out, "  %-40s: %s\n", memory, row->help);
	return CLI_MORE;
}

bool cli_help_row(FILE *out, const struct cli_command *row, const char *const *words, int count,
		  const char *title)
{
	static const char *const levels[] = {
		[LEVEL_USER] = "user", [LEVEL_OPERATOR] = "operator", [LEVEL_ADMIN] = "admin"
	};
	int least = help_words(row) < count ? help_words(row) : count;

	/* Behind the words of a row stand its arguments. */
	if (row->flags & (CLI_LATER | CLI_HIDDEN) || (least < count && !row->args) ||
	    !help_begins_with(row, words, least))
		return false;
	if (title)
		fputs(title, out);
	fprintf(out, "  %s%s%s\n      %s (%s)\n", row->words, row->args ? " " : "",
		row->args ? row->args : "", row->help, levels[row->level]);
	return true;
}

bool cli_help_words(FILE *out, const char *const *words, int count, bool any)
{
	static const char title[] =
		"\ncommands of the stats socket, with the level that they need:\n";
	bool found = false;

	help_collect();
	for (int i = 0; i < help_count; i++)
		found |= cli_help_row(out, help_rows[i], words, count,
				      found ? NULL : title + !any);
	return found;
}

const struct cli_command cli_help_unknown = {
	.level = LEVEL_USER,
	.start = help_start_unknown,
	.next = help_next,
	CLI_STATE(struct help_state),
};

const struct cli_command cli_help_commands[] = {
	{ .words = "help",
	  .args = "[<command>]",
	  .level = LEVEL_USER,
	  .flags = CLI_LAST,
	  .start = help_start,
	  .next = help_next,
	  CLI_STATE(struct help_state),
	  .help = "list matching or all commands" },
	{ .words = NULL },
};
