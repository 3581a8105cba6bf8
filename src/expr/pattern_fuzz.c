/* SPDX-License-Identifier: BSD-2-Clause */
/* Patterns and a sample out of any bytes: method, flags, lines of patterns, and behind an
 * empty line the sample. What the indexes find must be what comparing one by one finds. */
#include "base/arena.h"
#include "base/bug.h"
#include "base/err.h"
#include "expr/expr.h"
#include "expr/pattern.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* Does the pattern alone match? */
static bool one_matches(const struct pattern *p, enum match match, unsigned op, unsigned flags,
			struct arena *arena, const struct sample *smp)
{
	struct pattern_set *set = pattern_set_new(match, arena);
	struct sample copy = *smp;

	BUG_ON(pattern_add(set, p->text, NULL, (enum pattern_op)op, flags, NULL));
	return pattern_match(set, &copy) != NULL;
}

static void compare(const struct pattern_set *set, enum match match, unsigned op, unsigned flags,
		    struct arena *arena, const struct sample *smp)
{
	struct sample copy = *smp;
	const struct pattern *found = pattern_match(set, &copy), *p;
	bool any = false;

	for (p = pattern_first(set); p; p = p->next)
		any = any || one_matches(p, match, op, flags, arena, smp);
	BUG_ON(any != (found != NULL));
}

static void samples(const struct pattern_set *set, enum match match, unsigned op, unsigned flags,
		    struct arena *arena, struct span text)
{
	struct sample smp = { .type = SMP_STR, .str = text }, cast;
	unsigned type;

	for (type = SMP_BOOL; type < SMP_TYPES; type++) {
		cast = smp;
		if (sample_cast(&cast, (enum sample_type)type) && type != SMP_METH)
			compare(set, match, op, flags, arena, &cast);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct arena *arena = arena_new(4096);
	enum match match;
	unsigned op, flags, n = 0;
	struct pattern_set *set;
	char *text, *line;

	if (len < 2) {
		arena_free(&arena);
		return 0;
	}
	match = MATCH_INT + data[0] % (MATCHES - MATCH_INT);
	op = data[1] % 5;
	flags = PATTERN_NO_NAMES | (data[1] & 0x80 ? PATTERN_ICASE : 0);
	set = pattern_set_new(match, arena);
	text = arena_strndup(arena, (const char *)data + 2, len - 2);
	while ((line = strsep(&text, "\n")) && *line && n++ < 20)
		pattern_add(set, line, NULL, (enum pattern_op)op, flags, NULL);
	if (text)
		samples(set, match, op, flags, arena, span_of(text));
	arena_free(&arena);
	return 0;
}
