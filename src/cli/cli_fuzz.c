/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes, in pieces of any size, at any level, to a conversation with all commands, on a world
 * made by hand, with a map "m" (#0), numbers by string, an ACL "a" (#1) of expressions, and stick
 * tables "s" (of short strings), "i" (IPv6), "n" (numbers). First byte: level and whether the peer
 * ends its input; second: size of the pieces.
 */
#include "cli/cli.h"
#include "base/arena.h"
#include "base/err.h"
#include "expr/pattern_change.h"
#include "log/log.h"
#include "proxy/stick_conf.h"
#include "stick/memory.h"
#include "stats/test_world.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* -- files of patterns ----------------------------------------------------------------------- */

static struct pattern_ref refs[2];
static struct pattern_use uses[3];

static int to_number(const char *text, const char *value, void **data, struct arena *arena,
		     struct err *err)
{
	*data = arena_alloc(arena, sizeof(int64_t));
	return str_to_int(value, INT64_MIN, INT64_MAX, *data) ? 0 : err_set(err, "%s", text);
}

static void ref_make(struct pattern_ref *ref, struct pattern_use *use, size_t count,
		     struct arena *arena, enum match match)
{
	size_t i;

	for (i = 0; i < count; i++) {
		use[i] = (struct pattern_use){ .set = pattern_set_new(match, arena),
					       .next = i + 1 < count ? &use[i + 1] : NULL };
		use[i].set->table.exact.arena = use[i].set->table.folded.arena = NULL;
	}
	ref->uses = use;
	ref->use_count = count;
	ref->current = version_new(ref, 0);
	if (!ref->current)
		abort();
	free(ref->current->tables);
	ref->current->tables = NULL;
}

static void refs_make(struct arena *arena)
{
	refs[0] = (struct pattern_ref){ .path = "m", .key = "mm", .kind = PATTERN_VALUES,
					.next = &refs[1] };
	refs[1] = (struct pattern_ref){ .path = "a", .key = "aa", .kind = PATTERN_ACL, .id = 1,
					.in_acl = true };
	ref_make(&refs[0], &uses[0], 2, arena, MATCH_STR);
	ref_make(&refs[1], &uses[2], 1, arena, MATCH_REG);
	uses[0].flags = PATTERN_MAP;
	uses[1].flags = PATTERN_MAP | PATTERN_ICASE;
	uses[1].set->convert = to_number;
	pattern_refs_running = &refs[0];
}

/* What was found and shown must still fit together. */
static void refs_check(void)
{
	const struct pattern_ref *ref;
	const struct pattern_entry *e;
	size_t n;

	for (ref = refs; ref; ref = ref->next) {
		for (n = 0, e = ref->current->first; e; e = e->next, n++)
			if (!version_entry(ref->current, e->text))
				abort();
		if (n != ref->current->count || n != ref->uses->set->table.count)
			abort();
	}
}

/* -- stick tables ---------------------------------------------------------------------------- */

enum { TABLES = 3 };

static struct stick_line lines[TABLES];
static struct stick_conf stick_conf;

static void tables_make(void)
{
	static const struct stick_definition defs[TABLES] = {
		{ .name = "s", .type = STICK_STRING, .key_len = 5, .size = 4 },
		{ .name = "i", .type = STICK_IPV6, .key_len = 16, .size = 100, .expire_ms = 1000 },
		{ .name = "n", .type = STICK_INTEGER, .key_len = 4, .size = 2, .nopurge = true },
	};
	static struct stick_table *before[TABLES];
	struct err err;
	unsigned i, what;
	bool anew;

	list_init(&stick_conf.lines);
	if (!before[0] && stick_memory_begin(false, &err) < 0)
		abort();
	for (i = 0; i < TABLES; i++) {
		lines[i] = (struct stick_line){ .name = defs[i].name, .def = defs[i],
						.table = before[i] };
		for (what = 0; what < STICK_DATA; what++)
			if (what % (i + 1) == 0)
				lines[i].def.columns[what] =
					(struct stick_column){ .count = 1 + (what == STICK_gpc),
							       .period = 1000 };
		stick_layout(&lines[i].def);
		if (!before[i])
			lines[i].table = before[i] = stick_table_open(&lines[i].def, &anew, &err);
		if (!before[i])
			abort();
		list_append(&stick_conf.lines, &lines[i].node);
	}
	stick_running = &stick_conf;
}

/* What was done to them leaves them whole; the next input begins with none. */
static void tables_check(void)
{
	struct stick_entry *e;
	struct err err;
	uint32_t at;
	unsigned i;

	for (i = 0; i < TABLES; i++) {
		for (at = 0; (e = stick_next(lines[i].table, &at, UINT32_MAX));)
			if (stick_uses(e) || !stick_remove(lines[i].table, e))
				abort();
		if (stick_check(lines[i].table, &err) < 0 || stick_used(lines[i].table))
			abort();
	}
}

/* -- the conversation ------------------------------------------------------------------------ */

enum { SAID_MOST = 1 << 20, TRIES = 20 };

/* All that it says now. It may want to go on later: commands take a part of their work a turn. */
static size_t hear(struct cli *cli, size_t said)
{
	static char out[CLI_OUTPUT_MIN];
	size_t n;
	int i;

	for (i = 0; i < TRIES && said < SAID_MOST; i++) {
		while (said < SAID_MOST && (n = cli_output(cli, out, sizeof(out))))
			said += n;
		changes_carry_out();
	}
	return said;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct arena *arena;
	struct world *world;
	struct cli *cli;
	size_t piece, taken, said = 0;

	if (len < 2)
		return 0;
	log_to_stderr = false;
	world = world_new();
	arena = arena_new(4096);
	refs_make(arena);
	tables_make();
	cli = cli_new(LEVEL_USER + data[0] % 3, data[0] / 3 % 3);
	if (!cli)
		abort();
	piece = (size_t)data[1] + 1;
	for (data += 2, len -= 2; len && !cli_done(cli); data += taken, len -= taken) {
		taken = cli_input(cli, (const char *)data, len < piece ? len : piece);
		said = hear(cli, said);
		if (!taken || said >= SAID_MOST)
			break;
	}
	cli_input_end(cli);
	hear(cli, said);
	cli_free(&cli);
	refs_check();
	tables_check();
	pattern_refs_release(refs);
	arena_free(&arena);
	world_free(&world);
	return 0;
}
