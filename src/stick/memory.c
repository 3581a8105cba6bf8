/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where stick tables lie: one region with a directory, so that workers share them and a reload
 * finds them again. Called while the configuration is prepared, when a worker begins, and by the
 * parent when one has ended.
 *
 *   directory | names | rows (what each process is at, and what it holds) | tables, one behind another
 *
 * All of it is sparse: a table of ten million entries costs nothing until there are entries. A
 * table is found again when its name and its whole definition are the same. Else it begins anew,
 * at the end; the old one goes when the last process that knows it has ended.
 */
#include "stick/memory.h"

#include "base/bug.h"
#include "base/err.h"
#include "base/siphash.h"
#include "share/region.h"
#include "stick/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { VERSION = 2, TABLES = 4096, NAME = 208, ROWS = 1024, PAGE = REGION_PAGE };

struct directory {
	uint64_t hash_key[2];
	_Atomic uint32_t epoch; /* of the newest image of the parent */
	uint32_t rows; /* 0: one process */
	struct table_line {
		_Atomic uint64_t size;   /* bytes; 0: none */
		uint64_t at, definition; /* hash of it */
		_Atomic uint32_t epoch;  /* that declared it last */
		char name[NAME];         /* longer ones: a part and a hash */
	} lines[TABLES];
};

static struct region region = REGION_NONE;
static struct directory *directory;
static struct stick_table *tables[TABLES];
static char *row_memory[ROWS]; /* once it was asked for */
static unsigned rows;

/* ---- places in the region ------------------------------------------------------------------ */

static size_t pages(size_t size)
{
	return (size + PAGE - 1) / PAGE * PAGE;
}

static size_t row_size(void)
{
	return PAGE + STICK_SLOTS * sizeof(struct stick_slot);
}

static size_t row_at(unsigned row)
{
	return pages(sizeof(struct directory)) + pages(names_size()) + row * row_size();
}

static uint32_t buckets_of(uint32_t size)
{
	uint32_t n = 1;

	while (n < size && n < UINT32_C(1) << 30)
		n *= 2;
	return n;
}

struct places {
	size_t buckets, touched, free, sums, entries, end;
	uint32_t words;
};

static struct places places_of(const struct stick_definition *def)
{
	struct places p = { .buckets = PAGE, .words = (def->size + 63) / 64 };

	p.touched = pages(p.buckets + buckets_of(def->size) * sizeof(uint64_t));
	p.free = pages(p.touched + (size_t)def->size * sizeof(uint32_t));
	p.sums = p.free + p.words * sizeof(uint64_t);
	p.entries = pages(p.sums + (p.words + WORDS_A_SUM - 1) / WORDS_A_SUM * sizeof(uint64_t));
	p.end = pages(p.entries + (size_t)def->size * def->entry_size);
	return p;
}

static const struct region_spec *spec(void)
{
	static const struct region_member members[] = {
		REGION_SIZE(struct directory), REGION_MEMBER(struct directory, lines),
		REGION_SIZE(struct table_line), REGION_MEMBER(struct table_line, name),
		REGION_SIZE(struct stick_row), REGION_SIZE(struct stick_slot),
		REGION_SIZE(struct stick_head), REGION_SIZE(struct stick_entry),
		REGION_SIZE(struct stick_rate), { "data types", STICK_DATA, 0 },
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
	void *names = region_window(&region, pages(sizeof(*directory)), pages(names_size()));

	directory = names ? region_window(&region, 0, pages(sizeof(*directory))) : NULL;
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

static bool take_over(void)
{
	if (!region_attach_kept(&region, spec()))
		return false;
	if (region.size >= pages(sizeof(*directory)) && map_directory() &&
	    directory->rows == rows && region.size >= row_at(rows))
		return true;
	names_begin(NULL, NULL);
	region_free(&region);
	directory = NULL;
	return false;
}

int stick_memory_begin(bool shared, struct err *err)
{
	rows = shared ? ROWS : 0;
	if ((!shared || !take_over()) && begin_anew(shared, err) < 0) {
		stick_memory_end();
		return -1;
	}
	atomic_fetch_add(&directory->epoch, 1);
	return 0;
}

bool stick_memory_is(void)
{
	return directory;
}

void stick_memory_end(void)
{
	unsigned i;

	for (i = 0; i < TABLES; i++) {
		free((char *)(tables[i] ? (uintptr_t)tables[i]->def.name : 0));
		free(tables[i]);
		tables[i] = NULL;
	}
	names_begin(NULL, NULL);
	region_free(&region);
	memset(row_memory, 0, sizeof(row_memory));
	directory = NULL;
	stick_slots = NULL;
}

/* ---- tables -------------------------------------------------------------------------------- */

static uint64_t hash_of(const struct stick_definition *def)
{
	static const uint64_t key[2] = { 1, 2 };
	uint32_t all[6 + 2 * STICK_DATA] = { def->type, def->key_len, def->size, def->expire_ms,
					     def->nopurge, def->entry_size };
	unsigned i;

	for (i = 0; i < STICK_DATA; i++) {
		all[6 + 2 * i] = def->columns[i].count;
		all[7 + 2 * i] = def->columns[i].period;
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

/* A table of that name, whatever its definition; -1: none. */
static int line_of(const char *name, uint64_t definition)
{
	char wanted[NAME];
	unsigned i;

	name_of(name, wanted);
	for (i = 0; i < TABLES; i++)
		if (directory->lines[i].size && directory->lines[i].definition == definition &&
		    !memcmp(directory->lines[i].name, wanted, NAME))
			return (int)i;
	return -1;
}

static bool name_is_known(const char *name)
{
	char wanted[NAME];
	unsigned i;

	name_of(name, wanted);
	for (i = 0; i < TABLES; i++)
		if (directory->lines[i].size && !memcmp(directory->lines[i].name, wanted, NAME))
			return true;
	return false;
}

static int new_line(const struct stick_definition *def, struct err *err)
{
	struct table_line *line;
	size_t size = places_of(def).end;
	unsigned i;

	for (i = 0; i < TABLES && directory->lines[i].size; i++)
		;
	if (i == TABLES)
		return err_set(err, "more than %d stick tables", TABLES);
	line = &directory->lines[i];
	line->at = region.size;
	line->definition = hash_of(def);
	name_of(def->name, line->name);
	if (region_grow(&region, region.size + size) < 0)
		return err_set(err, "no memory for stick table '%s': %s", def->name,
			       strerror(errno));
	atomic_store(&line->size, size);
	return (int)i;
}

static void lay_out(struct stick_table *t, char *memory)
{
	struct places p = places_of(&t->def);

	t->head = (struct stick_head *)(void *)memory;
	t->buckets = (_Atomic uint64_t *)(void *)(memory + p.buckets);
	t->touched = (_Atomic uint32_t *)(void *)(memory + p.touched);
	t->free = (_Atomic uint64_t *)(void *)(memory + p.free);
	t->sums = (_Atomic uint64_t *)(void *)(memory + p.sums);
	t->entries = (unsigned char *)memory + p.entries;
	t->most_buckets = buckets_of(t->def.size);
	t->words = p.words;
	if (!atomic_load(&t->buckets[0])) {
		atomic_store(&t->buckets[0], LINK_END);
		atomic_store(&t->head->buckets, 1);
	}
}

struct stick_table *stick_table_open(const struct stick_definition *def, bool *anew, struct err *err)
{
	int line = line_of(def->name, hash_of(def));
	struct stick_table *t;
	char *memory;

	*anew = line < 0 && name_is_known(def->name);
	if (line < 0)
		line = new_line(def, err);
	if (line < 0)
		return NULL;
	atomic_store(&directory->lines[line].epoch, atomic_load(&directory->epoch));
	t = calloc(1, sizeof(*t));
	if (t)
		t->def = *def;
	if (t)
		t->def.name = strdup(def->name);
	memory = t && t->def.name ? region_window(&region, directory->lines[line].at,
						  directory->lines[line].size) : NULL;
	if (!memory) {
		free(t ? (char *)(uintptr_t)t->def.name : NULL);
		free(t);
		err_set(err, "no memory for stick table '%s': %s", def->name, strerror(errno));
		return NULL;
	}
	t->number = (uint16_t)line;
	memcpy(t->hash_key, directory->hash_key, sizeof(t->hash_key));
	lay_out(t, memory);
	tables[line] = t;
	return t;
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
	struct region_span all = { 0, 0 };
	char *memory;

	if (!directory || !rows)
		return 0;
	all.to = region.size;
	memory = memory_of_row(row);
	if (!memory)
		return err_set(err, "no memory for what is held in stick tables: %s",
			       strerror(errno));
	stick_own = (struct stick_row *)(void *)memory;
	stick_slots = (struct stick_slot *)(void *)(memory + PAGE);
	stick_own_row = row;
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

static struct stick_table *table_of(uint32_t number)
{
	return number < TABLES ? tables[number] : NULL;
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

void stick_memory_mend(unsigned number)
{
	struct stick_row *row;
	struct stick_table *t;
	char *memory = directory ? memory_of_row(number) : NULL;

	if (!memory)
		return;
	row = (struct stick_row *)(void *)memory;
	t = table_of(atomic_load(&row->bucket) >> 8 & (TABLES - 1));
	if (t && atomic_load(&row->bucket))
		chain_mend_bucket(t, (uint32_t)(atomic_load(&row->bucket) >> 32));
	t = table_of(atomic_load(&row->intent) >> 8 & (TABLES - 1));
	mend_slots(row, (struct stick_slot *)(void *)(memory + PAGE));
	if (t)
		entry_mend(t, row, number);
	*row = (struct stick_row){ 0 };
}

/* The place in the file is not used again: it costs no memory. */
void stick_memory_release_unused(void)
{
	struct table_line *line;
	unsigned i;

	if (!directory || region.fd < 0)
		return;
	for (i = 0; i < TABLES; i++) {
		line = &directory->lines[i];
		if (!line->size || atomic_load(&line->epoch) == atomic_load(&directory->epoch))
			continue;
		if (fallocate(region.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			      (off_t)(PAGE + line->at), (off_t)line->size) == 0)
			atomic_store(&line->size, 0);
	}
}
