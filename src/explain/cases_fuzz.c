/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as a file of cases, and each case that comes of it as the words of "explain": what is
 * taken has words, what is not has a sentence. Words that name files are left out. */
#include "explain/cases.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/err.h"
#include "explain/ask.h"
#include "explain/expect.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static bool names_a_file(const struct cases_case *c)
{
	unsigned i;

	for (i = c->own; i < c->count; i++)
		if (!strcmp(c->words[i], "--body") || !strcmp(c->words[i], "--answer-body") ||
		    !strcmp(c->words[i], "--bytes"))
			return true;
	return false;
}

static void ask_one(struct arena *arena, const struct cases_case *c)
{
	struct err err = { "" };
	struct span request;
	struct ask ask = { .arena = arena };
	unsigned i;

	if (ask_parse(&ask, c->words, c->count, &err) < 0) {
		BUG_ON(!err.text[0]);
		return;
	}
	for (i = 0; i < ask.expects.count; i++)
		BUG_ON(expect_check(ask.expects.items[i], &err) < 0 && !err.text[0]);
	request = ask_request(&ask, false);
	BUG_ON(ask.target && !ask.hello && !request.len);
	free((char *)request.ptr);
	request = ask_answer(&ask);
	free((char *)request.ptr);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct arena *arena = arena_new(65536);
	struct cases_case *c;
	struct err err;

	c = cases_parse(arena, "f", (struct span){ (const char *)data, len }, &err);
	for (; c; c = c->next) {
		BUG_ON(c->count < c->own);
		if (!names_a_file(c))
			ask_one(arena, c);
	}
	arena_free(&arena);
	return 0;
}
