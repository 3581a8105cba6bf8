/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines that are read while the program serves. The reader has no file, so problems are told
 * without the line and the caret. Called by commands that add things; never by the start.
 */
#include "config/fragment.h"

#include "base/arena.h"
#include "base/err.h"
#include "config/diag.h"
#include "config/reader.h"

#include <string.h>

enum { FRAGMENT_BLOCK = 2048 };

struct config *config_running;

struct config *fragment_new(void)
{
	struct arena *arena = config_running ? arena_new(FRAGMENT_BLOCK) : NULL;
	struct config *cfg;

	if (!arena)
		return NULL;
	cfg = arena_alloc(arena, sizeof(*cfg));
	*cfg = *config_running;
	cfg->arena = arena;
	cfg->serving = true;
	cfg->diag = diag_new(arena);
	cfg->reader = arena_alloc(arena, sizeof(*cfg->reader));
	cfg->reader->cfg = cfg;
	cfg->reader->index = cfg->index;
	cfg->reader->title = "";
	cfg->reader->label = "";
	return cfg;
}

void fragment_free(struct config **fragment)
{
	struct arena *arena = *fragment ? (*fragment)->arena : NULL;

	*fragment = NULL;
	if (arena)
		arena_free(&arena);
}

void fragment_statement(struct config *fragment, struct statement *st, const char *what,
			char *const *words)
{
	struct word *made;
	int n = 0, i;

	while (words[n])
		n++;
	made = arena_alloc(fragment->arena, (size_t)(n + 1) * sizeof(*made));
	for (i = 0; i < n; i++)
		made[i] = (struct word){ .text = arena_strdup(fragment->arena, words[i]),
					 .quoted = true };
	*st = (struct statement){ .cfg = fragment, .text = "", .words = made, .count = n,
				  .section = what };
	st->loc.file = arena_strdup(fragment->arena, what);
	fragment->reader->loc = st->loc;
}

int fragment_problem(const struct config *fragment, struct err *err)
{
	const struct problem *p;

	for (p = fragment->diag->first; p; p = p->next)
		if (p->severity == DIAG_ERROR)
			return p->hint ? err_set(err, "%s (%s)", p->message, p->hint) :
					 err_set(err, "%s", p->message);
	return err_set(err, "it cannot be understood");
}

void fragment_done(struct config *fragment)
{
	fragment->reader = NULL;
}
