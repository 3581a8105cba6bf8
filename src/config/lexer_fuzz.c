/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a line, as an argument in parentheses and as a condition. Words must lie in
 * the line, in order, one behind the other.
 */
#include "config/lexer.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/err.h"
#include "config/load.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static const char *variable(void *arg, const char *name)
{
	(void)arg;
	switch (name[0]) {
	case 'L':
		return " one two  three";
	case 'E':
		return "";
	case 'N':
		return "value";
	}
	return NULL;
}

static void check_words(const struct lexer *lx, size_t len)
{
	unsigned column = 0;
	int i;

	for (i = 0; i < lx->count; i++) {
		const struct word *w = &lx->words[i];

		BUG_ON(w->column < 1 || w->column > len || w->raw_len < 1);
		BUG_ON(w->column < column);
		BUG_ON(w->column + w->raw_len - 1 > len);
		BUG_ON(!w->quoted && strpbrk(w->text, LEXER_BLANKS "#\"'"));
		column = w->column;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct arena *arena = arena_new(1024);
	struct lexer lx = { .arena = arena, .variable = variable };
	char *text = arena_strndup(arena, (const char *)data, len);
	const char *end;
	struct err err;
	int value;

	if (lexer_split(&lx, (const char *)data, len) == 0)
		check_words(&lx, len);
	else
		BUG_ON(!lx.problem.message || lx.problem.column < 1 ||
		       lx.problem.column > len + 1);
	lexer_argument(arena, text, &end);
	BUG_ON(end > text + strlen(text));
	value = config_condition(NULL, text, &err);
	BUG_ON(value < -1 || value > 1);
	arena_free(&arena);
	return 0;
}
