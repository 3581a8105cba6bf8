/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of steps, and how messages name a step: word for word as the reference. Called while the
 * configuration is read and by walk_run.c. */
#include "check/step.h"

#include "base/arena.h"

struct step *step_add(struct arena *arena, struct step_list *list, enum step_kind kind)
{
	struct step *step = arena_alloc(arena, sizeof(*step));

	step->kind = kind;
	step->number = ++list->count;
	if (list->last)
		list->last->next = step;
	else
		list->first = step;
	list->last = step;
	return step;
}

const struct step *step_first_real(const struct step *first)
{
	while (first && (first->kind == STEP_VARIABLE || first->kind == STEP_COMMENT))
		first = first->next;
	return first;
}

void step_say_content(const struct step_expect *e, struct text *t)
{
	static const char *const names[] = {
		[EXPECT_STRING] = NULL, [EXPECT_BINARY] = "(binary)", [EXPECT_REGEX] = "(regex)",
		[EXPECT_BINARY_REGEX] = "(binary regex)",
		[EXPECT_STRING_FORMAT] = "(log-format string)",
		[EXPECT_BINARY_FORMAT] = "(log-format binary)",
	};

	if (e->kind == EXPECT_STRING)
		text_printf(t, "'%s'", e->data.ptr);
	else if (e->kind <= EXPECT_BINARY_FORMAT)
		text_str(t, names[e->kind]);
}

static void say_expect(const struct step_expect *e, struct text *t)
{
	static const char *const names[] = {
		[EXPECT_STRING] = "string", [EXPECT_BINARY] = "binary", [EXPECT_REGEX] = "regex",
		[EXPECT_BINARY_REGEX] = "binary regex",
		[EXPECT_STRING_FORMAT] = "log-format string",
		[EXPECT_BINARY_FORMAT] = "log-format binary",
	};

	text_str(t, " (expect");
	if (e->kind <= EXPECT_BINARY_FORMAT)
		text_printf(t, " %s", names[e->kind]);
	if (e->kind == EXPECT_STRING || e->kind == EXPECT_BINARY)
		text_printf(t, " '%s'", e->data.ptr);
	text_char(t, ')');
}

void step_say(const struct step *step, const char *comment, struct text *t)
{
	if (!step->number) {
		text_str(t, " at initial connection step of tcp-check");
		return;
	}
	text_printf(t, " at step %u of tcp-check", step->number);
	if (step->kind == STEP_CONNECT && step->connect.port)
		text_printf(t, " (connect port %u)", step->connect.port);
	else if (step->kind == STEP_CONNECT)
		text_str(t, " (connect)");
	else if (step->kind == STEP_SEND)
		text_str(t, " (send)");
	else if (step->kind == STEP_EXPECT)
		say_expect(&step->expect, t);
	if (comment)
		text_printf(t, " comment: '%s'", comment);
}
