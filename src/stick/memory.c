/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where stick tables lie: one region with a directory, so that workers share them and a reload
 * finds them again. Called while the configuration is prepared, when a worker begins, and by the
 * parent when one has ended.
 *
 *   directory | teller | names | rows (what each process is at, and what it holds) |
 *   tables, one behind another
 *
 * The parent alone writes the directory. Everything else is written by any worker, and may hold
 * anything.
 *
 * All of it is sparse: a table of ten million entries costs nothing until there are entries. A
 * table is found again when its name and its whole definition are the same. Else it begins anew,
 * at the end; the old one goes when the last process that knows it has ended.
 */
#include "stick/memory.h"

#include "base/bug.h"
#include "base/err.h"
#include "base/siphash.h"
#include "share/kept.h"
#include "share/region.h"
#include "stick/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { VERSION = 6, TABLES = STICK_TABLES, NAME = STICK_LINE_NAME, ROWS = 1024,
       PAGE = REGION_PAGE };

static struct region region = REGION_NONE;
static struct stick_directory *directory;
static struct stick_table *tables[TABLES]; /* that are declared, or were mended */
static char *row_memory[ROWS]; /* once it was asked for */
static unsigned rows;
static bool begun; /* this image declares tables */

/* ---- places in the region ------------------------------------------------------------------ */

static size_t pages(size_t size)
{
	return (size + PAGE - 1) / PAGE * PAGE;
}

static size_t row_size(void)
{
	return PAGE + STICK_SLOTS * sizeof(struct stick_slot);
}

static size_t teller_at(void)
{
	return pages(sizeof(struct stick_directory));
}

static size_t names_at(void)
{
	return teller_at() + pages(sizeof(struct stick_teller));
}

static size_t row_at(unsigned row)
{
	return names_at() + pages(names_size()) + row * row_size();
}

static uint32_t buckets_of(uint32_t size)
{
	uint32_t n = 1;

	while (n < size && n < UINT32_C(1) << 30)
		n *= 2;
	return n;
}

struct places {
	size_t buckets, touched, free, sums, notes, note_sums, numbers, entries, end;
	uint32_t words;
};

static struct places places_of(const struct stick_definition *def)
{
	struct places p = { .buckets = PAGE, .words = blocks_words(def->size) };

	p.touched = pages(p.buckets + buckets_of(def->size) * sizeof(uint64_t));
	p.free = pages(p.touched + (size_t)def->size * sizeof(uint32_t));
	p.sums = p.free + blocks_free_size(def->size);
	p.notes = pages(p.sums + blocks_sums_size(def->size));
	p.note_sums = p.notes + (p.sums - p.free);
	p.numbers = pages(p.note_sums + blocks_sums_size(def->size));
	p.entries = pages(p.numbers + (size_t)def->size * sizeof(uint32_t));
	p.end = pages(p.entries + (size_t)def->size * def->entry_size);
	return p;
}

static const struct region_spec *spec(void)
{
	static const struct region_member members[] = {
		REGION_SIZE(struct stick_directory), REGION_MEMBER(struct stick_directory, lines),
		REGION_SIZE(struct stick_line_of_table), REGION_MEMBER(struct stick_line_of_table, name),
		REGION_MEMBER(struct stick_directory, definitions),
		REGION_SIZE(struct stick_definition), REGION_SIZE(struct stick_column),
		REGION_SIZE(struct stick_row), REGION_SIZE(struct stick_slot),
		REGION_SIZE(struct stick_head), REGION_SIZE(struct stick_entry),
		REGION_SIZE(struct stick_rate), REGION_SIZE(struct stick_teller), { "data types", STICK_DATA, 0 },
	};
	static struct region_spec spec = { .name = "stick", .what = "stick tables",
					   .grows = true };

	if (!spec.layout)
		spec.layout = region_layout(VERSION, members, ARRAY_LEN(members));
	return &spec;
}

/* ---- the region ---------------------------------------------------------------------------- */

static bool map_directory(void)
{
	void *names = region_window(&region, names_at(), pages(names_size()));
	void *teller = names ? region_window(&region, teller_at(), pages(sizeof(*stick_teller))) : NULL;

	directory = teller ? region_window(&region, 0, pages(sizeof(*directory))) : NULL;
	stick_teller = directory ? teller : NULL;
	if (directory)
		names_begin(names, directory->hash_key);
	return directory;
}

static int begin_anew(bool shared, struct err *err)
{
	if (region_new(&region, spec(), row_at(rows), shared, err) < 0)
		return -1;
	if (!map_directory() || getrandom(directory->hash_key, sizeof(directory->hash_key), 0) !=
				sizeof(directory->hash_key))
		return err_set(err, "no memory for stick tables: %s", strerror(errno));
	directory->rows = rows;
	if (shared)
		region_keep(&region);
	return 0;
}

static bool lies_in_region(const struct stick_line_of_table *line)
{
	uint64_t size = atomic_load(&line->size);

	return !(size % PAGE) && !(line->at % PAGE) && line->at >= row_at(rows) &&
	       line->at <= region.size && size <= region.size - line->at;
}

/* A line that cannot be is no table. Its name stays: who declares it hears that it begins anew. */
static void drop_false_lines(void)
{
	unsigned i;

	for (i = 0; i < TABLES; i++)
		if (directory->lines[i].size && !lies_in_region(&directory->lines[i]))
			atomic_store(&directory->lines[i].size, 0);
}

static bool take_over(void)
{
	if (!region_attach_kept(&region, spec()))
		return false;
	if (region.size >= row_at(rows) && map_directory() && directory->rows == rows) {
		drop_false_lines();
		return true;
	}
	names_begin(NULL, NULL);
	region_free(&region);
	directory = NULL;
	stick_teller = NULL;
	return false;
}

int stick_memory_begin(bool shared, struct err *err)
{
	stick_memory_end();
	rows = shared ? ROWS : 0;
	if ((!shared || !take_over()) && begin_anew(shared, err) < 0) {
		stick_memory_end();
		return -1;
	}
	atomic_fetch_add(&directory->epoch, 1);
	begun = true;
	return 0;
}

static void close_table(unsigned line)
{
	if (!tables[line])
		return;
	free((char *)(uintptr_t)tables[line]->def.name);
	free(tables[line]->late);
	free(tables[line]);
	tables[line] = NULL;
}

bool stick_memory_is(void)
{
	return directory;
}

void stick_memory_end(void)
{
	unsigned i;

	for (i = 0; i < TABLES; i++)
		close_table(i);
	names_begin(NULL, NULL);
	region_free(&region);
	memset(row_memory, 0, sizeof(row_memory));
	directory = NULL;
	begun = false;
	stick_teller = NULL;
	stick_self.slots = NULL;
}

/* ---- tables -------------------------------------------------------------------------------- */

static uint64_t hash_of(const struct stick_definition *def)
{
	static const uint64_t key[2] = { 1, 2 };
	uint32_t all[7 + 2 * STICK_DATA] = { def->type, def->key_len, def->size, def->expire_ms,
					     def->nopurge, def->entry_size, def->block };
	unsigned i;

	for (i = 0; i < STICK_DATA; i++) {
		all[7 + 2 * i] = def->columns[i].count;
		all[8 + 2 * i] = def->columns[i].period;
	}
	return siphash(key, all, sizeof(all)).low;
}

static void name_of(const char *name, char *to)
{
	static const uint64_t key[2] = { 3, 4 };
	size_t len = strlen(name), i;
	uint64_t hash;

	memset(to, 0, NAME);
	memcpy(to, name, len < NAME ? len : NAME - 1);
	if (len < NAME)
		return;
	hash = siphash(key, name, len).low;
	for (i = 0; i < 16; i++, hash >>= 4)
		to[NAME - 2 - i] = "0123456789abcdef"[hash & 15];
}

/* The table of that name and definition; -1: none. */
static int line_of(const struct stick_definition *def)
{
	const struct stick_line_of_table *line;
	uint64_t definition = hash_of(def);
	size_t size = places_of(def).end;
	char wanted[NAME];
	unsigned i;

	name_of(def->name, wanted);
	for (i = 0; i < TABLES; i++) {
		line = &directory->lines[i];
		if (line->size == size && line->definition == definition &&
		    !memcmp(line->name, wanted, NAME))
			return (int)i;
	}
	return -1;
}

/* There is, or was a table of that name, whatever its definition. */
static bool name_is_known(const char *name)
{
	char wanted[NAME];
	unsigned i;

	name_of(name, wanted);
	for (i = 0; i < TABLES; i++)
		if (!memcmp(directory->lines[i].name, wanted, NAME))
			return true;
	return false;
}

static int new_line(const struct stick_definition *def, struct err *err)
{
	struct stick_line_of_table *line;
	size_t size = places_of(def).end;
	unsigned i;

	for (i = 0; i < TABLES && directory->lines[i].size; i++)
		;
	if (i == TABLES)
		return err_set(err, "more than %d stick tables", TABLES);
	line = &directory->lines[i];
	line->at = region.size;
	if (region_grow(&region, region.size + size) < 0)
		return err_set(err, "no memory for stick table '%s': %s", def->name,
			       strerror(errno));
	line->definition = hash_of(def);
	directory->definitions[i] = *def;
	directory->definitions[i].name = NULL;
	name_of(def->name, line->name);
	atomic_store(&line->size, size);
	return (int)i;
}

static void lay_out(struct stick_table *t, char *memory)
{
	struct places p = places_of(&t->def);

	t->head = (struct stick_head *)(void *)memory;
	t->buckets = (_Atomic uint64_t *)(void *)(memory + p.buckets);
	t->touched = (_Atomic uint32_t *)(void *)(memory + p.touched);
	t->notes = (_Atomic uint64_t *)(void *)(memory + p.notes);
	t->note_sums = (_Atomic uint64_t *)(void *)(memory + p.note_sums);
	t->numbers = (_Atomic uint32_t *)(void *)(memory + p.numbers);
	t->entries = (unsigned char *)memory + p.entries;
	t->places = (struct blocks){
		.count = t->def.size,
		.fresh = &t->head->fresh,
		.freed = &t->head->freed,
		.free = (_Atomic uint64_t *)(void *)(memory + p.free),
		.sums = (_Atomic uint64_t *)(void *)(memory + p.sums),
		.first = memory + p.entries + offsetof(struct stick_entry, life),
		.stride = t->def.entry_size,
		.intend = entry_chosen,
	};
	t->most_buckets = buckets_of(t->def.size);
	t->words = p.words;
	if (!atomic_load(&t->buckets[0])) {
		atomic_store(&t->buckets[0], LINK_END);
		atomic_store(&t->head->buckets, 1);
	}
}

/* def: that of the line, with a name. NULL: no memory. */
static struct stick_table *open_line(unsigned line, const struct stick_definition *def)
{
	struct stick_table *t = calloc(1, sizeof(*t));
	char *memory;

	if (!t)
		return NULL;
	t->def = *def;
	t->def.name = strdup(def->name);
	memory = t->def.name ? region_window(&region, directory->lines[line].at,
					     directory->lines[line].size) : NULL;
	if (!memory) {
		free((char *)(uintptr_t)t->def.name);
		free(t);
		return NULL;
	}
	t->number = (uint16_t)line;
	memcpy(t->hash_key, directory->hash_key, sizeof(t->hash_key));
	lay_out(t, memory);
	return t;
}

struct stick_table *stick_table_open(const struct stick_definition *def, bool *anew, struct err *err)
{
	int line = line_of(def);

	*anew = line < 0 && name_is_known(def->name);
	if (line < 0)
		line = new_line(def, err);
	if (line < 0)
		return NULL;
	atomic_store(&directory->lines[line].epoch, atomic_load(&directory->epoch));
	close_table((unsigned)line);
	tables[line] = open_line((unsigned)line, def);
	if (!tables[line])
		err_set(err, "no memory for stick table '%s': %s", def->name, strerror(errno));
	return tables[line];
}

/* ---- processes ----------------------------------------------------------------------------- */

static char *memory_of_row(unsigned row)
{
	if (row < rows && !row_memory[row])
		row_memory[row] = region_window(&region, row_at(row), row_size());
	return row < rows ? row_memory[row] : NULL;
}

int stick_memory_confine(unsigned row, struct err *err)
{
	struct region_span all = { teller_at(), 0 };
	char *memory;

	if (!directory || !rows)
		return 0;
	all.to = region.size;
	memory = memory_of_row(row);
	if (!memory)
		return err_set(err, "no memory for what is held in stick tables: %s",
			       strerror(errno));
	stick_self.row = (struct stick_row *)(void *)memory;
	stick_self.slots = (struct stick_slot *)(void *)(memory + PAGE);
	stick_self.number = row;
	return region_confine(&region, &all, 1, err);
}

/* What its intent pins, and a slot holds already, counts once. */
static bool is_held_anew(const struct stick_row *row, const struct stick_slot *slot, uint32_t what)
{
	uint64_t word = atomic_load(&row->intent);

	return (what & SLOT_NEW) && (word & 0xff) == INTENT_PIN &&
	       (word >> 8 & (TABLES - 1)) == (what & SLOT_TABLE) - 1 &&
	       word >> 32 == atomic_load(&slot->place);
}

/* The definition of a line, as far as what stands there belongs together: nothing is mended beside
 * the table. */
static bool definition_of(uint32_t number, struct stick_definition *def)
{
	const struct stick_line_of_table *line = &directory->lines[number];

	*def = directory->definitions[number];
	def->name = "";
	if (!line->size || !def->size || def->size > UINT32_C(1) << 30 || def->key_len > 1 << 16)
		return false;
	stick_layout(def);
	return places_of(def).end == line->size && hash_of(def) == line->definition;
}

/* Also one that this image does not declare: processes of an earlier one may. NULL: there is none.
 */
static struct stick_table *table_of(uint32_t number)
{
	struct stick_definition def;

	if (number >= TABLES)
		return NULL;
	if (!tables[number] && definition_of(number, &def))
		tables[number] = open_line(number, &def);
	return tables[number];
}

static void mend_slots(struct stick_row *row, struct stick_slot *slots)
{
	uint32_t n = atomic_load(&row->holds), i, what;
	struct stick_table *t;

	for (i = 0; i < n && i < STICK_SLOTS; i++) {
		what = atomic_load(&slots[i].what);
		t = what ? table_of((what & SLOT_TABLE) - 1) : NULL;
		if (t && !is_held_anew(row, &slots[i], what))
			entry_mend_hold(t, what, atomic_load(&slots[i].place));
		atomic_store(&slots[i].what, 0);
	}
}

/* The configuration at hand was refused, or declares no table: the memory is that of processes
 * which an earlier one has begun. */
static bool find_again(void)
{
	if (directory)
		return true;
	rows = ROWS;
	return take_over();
}

static void mend_row(struct stick_row *row, struct stick_slot *slots, unsigned number)
{
	uint64_t bucket = atomic_load(&row->bucket), intent = atomic_load(&row->intent);
	struct stick_table *t = bucket ? table_of(bucket >> 8 & (TABLES - 1)) : NULL;

	if (t)
		bucket_mend(t, (uint32_t)(bucket >> 32));
	mend_slots(row, slots);
	t = intent ? table_of(intent >> 8 & (TABLES - 1)) : NULL;
	if (t)
		entry_mend(t, row, number);
	*row = (struct stick_row){ 0 };
}

void stick_memory_mend(unsigned number)
{
	char *memory = find_again() ? memory_of_row(number) : NULL;
	unsigned i;

	if (!memory)
		return;
	mend_row((struct stick_row *)(void *)memory, (struct stick_slot *)(void *)(memory + PAGE),
		 number);
	for (i = 0; i < TABLES; i++)
		if (tables[i])
			feed_mend(tables[i]);
}

/* This image declares no table, and nobody is left who knows one: the whole memory goes. */
static void give_up(void)
{
	stick_memory_end();
	kept_refuse(spec()->name);
}

/* The place in the file is not used again: it costs no memory. */
static bool release(struct stick_line_of_table *line)
{
	if (fallocate(region.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		      (off_t)(PAGE + line->at), (off_t)line->size) < 0)
		return false;
	atomic_store(&line->size, 0);
	memset(line->name, 0, NAME);
	return true;
}

void stick_memory_release_unused(void)
{
	struct stick_line_of_table *line;
	unsigned i;

	if (!begun && kept_get(spec()->name) >= 0)
		give_up();
	if (!directory || region.fd < 0)
		return;
	for (i = 0; i < TABLES; i++) {
		line = &directory->lines[i];
		if (line->size && atomic_load(&line->epoch) != atomic_load(&directory->epoch) &&
		    release(line))
			close_table(i);
	}
}
