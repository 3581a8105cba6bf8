/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The shared memory: a head, the heads of the rows on a page each, and extents. An extent is a
 * directory of SEGMENT_SLOTS names followed by the cells of these slots, row after row, so that no
 * two processes write the same page. It is never moved or shrunk: a pointer to a cell stays good
 * while the process lives.
 *
 * Only the parent takes slots and rows, so nothing here locks. A parent that dies in the middle
 * leaves at most an odd fold counter, which readers pass after a while.
 */
#include "share/segment.h"

#include "base/bug.h"
#include "base/err.h"
#include "share/region.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { VERSION = 5, ROW_SIZE = REGION_PAGE, EXTENTS_MOST = 4096, FOLD_TRIES = 1000,
       RESERVE_LEAST = 64 /* extents that workers can reach beyond those that there are */ };

struct head {
	uint32_t rows, extents;
	uint32_t epoch;             /* image of the parent that asks for slots now */
	_Atomic uint64_t fold;      /* odd: a row is being added to row 0 */
	_Atomic uint32_t rows_used; /* rows beyond are free */
	_Atomic uint32_t slots_used;
	int32_t wake[SEGMENT_ROWS_MOST]; /* eventfds */
	/* Which rows are: a process may write what it likes into its own, and the parent must not
	 * believe it. */
	uint8_t taken[SEGMENT_ROWS_MOST];
};

struct entry {
	uint64_t hash;  /* of kind and name */
	uint32_t kind;
	uint32_t epoch; /* of the last who asked for it */
	uint32_t nth;   /* of those with the same name */
	uint32_t serial; /* 0: of the configuration */
	uint32_t born;   /* with a serial number: the image whose count that is */
	char name[SEGMENT_NAME];
};

struct segment {
	struct region region;
	struct head *head;
	char *rows;
	size_t extent_size;
	char *extents[EXTENTS_MOST]; /* NULL: not mapped yet by this process */
	/* Only in the parent: slots + 1 by hash, and how often a name was asked for. */
	uint32_t *index;
	size_t index_size;           /* a power of two */
	unsigned free_hint;          /* no free slot below */
	unsigned reach;              /* extents that workers can write to; 0: nobody has asked */
	uint32_t epoch;              /* of the image that this process is of: a later one may have
				      * failed to start */
	unsigned found;              /* where segment_slot_find found one last */
};

enum { LINE = 64 };

static uint64_t cells_layout;
struct segment_layout segment_layout = { .cell = LINE, .stride = SEGMENT_SLOTS * LINE };
struct segment *segment;
unsigned segment_own_row, segment_workers = 1;
static struct segment_row nobody;
struct segment_row *segment_own = &nobody;

void segment_own_set(struct segment_row *row)
{
	segment_own = row ? row : &nobody;
	loop_pulse = &segment_own->pulse;
}

void segment_cells(size_t size, uint64_t layout)
{
	segment_layout.cell = (size + LINE - 1) & ~(size_t)(LINE - 1);
	segment_layout.stride = SEGMENT_SLOTS * segment_layout.cell;
	cells_layout = layout;
}

/* ---- memory ---------------------------------------------------------------------------- */

static size_t round_up(size_t size)
{
	return (size + REGION_PAGE - 1) & ~(size_t)(REGION_PAGE - 1);
}

static size_t head_size(unsigned rows)
{
	return round_up(sizeof(struct head)) + (size_t)rows * ROW_SIZE;
}

static size_t directory_size(void)
{
	return round_up(SEGMENT_SLOTS * sizeof(struct entry));
}

static size_t extent_size(unsigned rows)
{
	return directory_size() + (size_t)rows * segment_layout.stride;
}

static size_t extent_at(const struct segment *s, unsigned n)
{
	return head_size(s->head->rows) + n * s->extent_size;
}

static char *map_extent(struct segment *s, unsigned n)
{
	if (!s->extents[n])
		s->extents[n] = region_window(&s->region, extent_at(s, n), s->extent_size);
	return s->extents[n];
}

/* Another extent, behind the last one. */
static int grow(struct segment *s, struct err *err)
{
	unsigned n = s->head->extents;

	if (n == EXTENTS_MOST)
		return err_set(err, "there are more than %u proxies, servers and listeners",
			       EXTENTS_MOST * SEGMENT_SLOTS);
	if (region_grow(&s->region, extent_at(s, n + 1)) < 0 || !map_extent(s, n))
		return err_set(err, "cannot enlarge the memory of run-time numbers: %s%s",
			       strerror(errno), region_hint(errno));
	s->head->extents++;
	return 0;
}

static struct entry *entry_of(const struct segment *s, unsigned slot)
{
	char *extent = map_extent((struct segment *)(uintptr_t)s, slot / SEGMENT_SLOTS);

	BUG_ON(!extent);
	return (struct entry *)(void *)extent + slot % SEGMENT_SLOTS;
}

void *segment_cell(const struct segment *s, unsigned row, unsigned slot)
{
	char *extent = map_extent((struct segment *)(uintptr_t)s, slot / SEGMENT_SLOTS);

	BUG_ON(!extent || row >= s->head->rows);
	return extent + directory_size() + (size_t)row * segment_layout.stride +
	       (size_t)(slot % SEGMENT_SLOTS) * segment_layout.cell;
}

/* ---- making it ------------------------------------------------------------------------- */

/* All that is laid out here; cells_layout says the same of what is in the cells. */
static const struct region_spec *spec(void)
{
	static const struct region_member members[] = {
		REGION_SIZE(struct head), REGION_SIZE(struct entry),
		REGION_SIZE(struct segment_row),
		REGION_MEMBER(struct head, epoch), REGION_MEMBER(struct head, fold),
		REGION_MEMBER(struct head, slots_used), REGION_MEMBER(struct head, wake),
		REGION_MEMBER(struct head, taken), REGION_MEMBER(struct entry, hash),
		REGION_MEMBER(struct entry, kind), REGION_MEMBER(struct entry, epoch),
		REGION_MEMBER(struct entry, nth), REGION_MEMBER(struct entry, name),
		REGION_MEMBER(struct entry, serial), REGION_MEMBER(struct entry, born),
		REGION_MEMBER(struct segment_row, pid),
		REGION_MEMBER(struct segment_row, generation),
		REGION_MEMBER(struct segment_row, number), REGION_MEMBER(struct segment_row, flags),
		REGION_MEMBER(struct segment_row, waits_for),
		REGION_MEMBER(struct segment_row, waits_for_room),
		REGION_MEMBER(struct segment_row, started_ms),
		REGION_MEMBER(struct segment_row, version),
		REGION_MEMBER(struct segment_row, at_hand),
		REGION_MEMBER(struct segment_row, pulse),
		REGION_MEMBER(struct segment_row, connections),
		REGION_MEMBER(struct segment_row, recent_accepts),
		{ "kinds", SLOT_KINDS, 0 }, { "slots", SEGMENT_SLOTS, ROW_SIZE },
	};
	const struct region_member cell = { "cell", 0, segment_layout.cell };
	static struct region_spec spec = { .name = "segment", .what = "run-time numbers",
					   .grows = true };

	spec.layout = region_layout(cells_layout ^ VERSION, members, ARRAY_LEN(members));
	spec.layout = region_layout(spec.layout, &cell, 1);
	return &spec;
}

static struct segment *map_head(struct segment *s, unsigned rows, struct err *err)
{
	char *memory = region_window(&s->region, 0, head_size(rows));

	if (!memory) {
		err_set(err, "no memory for run-time numbers: %s", strerror(errno));
		return NULL;
	}
	s->head = (struct head *)(void *)memory;
	s->rows = memory + round_up(sizeof(struct head));
	s->extent_size = extent_size(rows);
	return s;
}

static int open_wake(unsigned rows)
{
	int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);

	if (fd < 0 && errno == EMFILE && region_raise_limit(rows))
		fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	return fd;
}

static int open_wakes(struct segment *s, struct err *err)
{
	unsigned i;

	for (i = 0; i < s->head->rows; i++)
		s->head->wake[i] = -1;
	for (i = 0; i < s->head->rows && s->region.fd >= 0; i++) {
		s->head->wake[i] = open_wake(s->head->rows);
		if (s->head->wake[i] < 0)
			return err_set(err, "cannot make %u eventfds for the workers: %s%s",
				       s->head->rows, strerror(errno), region_hint(errno));
	}
	return 0;
}

struct segment *segment_new(unsigned rows, struct err *err)
{
	struct segment *s = calloc(1, sizeof(*s));

	BUG_ON(rows < 1 || rows > SEGMENT_ROWS_MOST);
	if (!s || region_new(&s->region, spec(), head_size(rows), rows > 1, err) < 0) {
		if (!s)
			err_set(err, "no memory for run-time numbers: %s", strerror(errno));
		free(s);
		return NULL;
	}
	if (!map_head(s, rows, err)) {
		segment_free(&s);
		return NULL;
	}
	s->head->rows = rows;
	s->head->epoch = s->epoch = 1;
	s->head->rows_used = 1;
	s->head->taken[0] = 1;
	segment_row(s, 0)->taken = 1;
	if (open_wakes(s, err) < 0 || grow(s, err) < 0)
		segment_free(&s);
	return s;
}

/* What it says of itself fits what there is. */
static bool is_sound(const struct segment *s, const struct head *head)
{
	return head->rows > 1 && head->rows <= SEGMENT_ROWS_MOST && head->extents <= EXTENTS_MOST &&
	       s->region.size >= head_size(head->rows) + head->extents * extent_size(head->rows);
}

struct segment *segment_attach(int fd, struct err *err)
{
	struct segment *s = calloc(1, sizeof(*s));
	struct head head;

	if (!s || region_attach(&s->region, spec(), fd, err) < 0) {
		if (!s)
			err_set(err, "no memory for run-time numbers: %s", strerror(errno));
		free(s);
		return NULL;
	}
	if (!region_read(&s->region, 0, &head, sizeof(head)) || !is_sound(s, &head))
		err_set(err, "the memory of run-time numbers is damaged");
	else if (map_head(s, head.rows, err)) {
		s->epoch = ++s->head->epoch;
		return s;
	}
	s->region.fd = -1; /* the caller's still */
	segment_free(&s);
	return NULL;
}

void segment_free(struct segment **segment_ptr)
{
	struct segment *s = *segment_ptr;
	unsigned i;

	if (!s)
		return;
	if (segment == s) {
		segment = NULL;
		segment_own_set(NULL);
	}
	for (i = 0; s->head && i < s->head->rows && s->region.fd >= 0; i++)
		if (s->head->wake[i] >= 0)
			close(s->head->wake[i]);
	region_free(&s->region);
	free(s->index);
	free(s);
	*segment_ptr = NULL;
}

/* ---- what a worker may write ----------------------------------------------------------- */

/* A worker can map nothing more that it may write once it is confined, so it maps extents that are
 * still to come: as many again as there are. */
static unsigned reach(const struct segment *s)
{
	unsigned now = s->head->extents, more = now > RESERVE_LEAST ? now : RESERVE_LEAST;

	if (s->reach)
		return s->reach;
	return now + more < EXTENTS_MOST ? now + more : EXTENTS_MOST;
}

/* In each extent the cells of row 0, where facts are, and its own. */
static unsigned own_spans(const struct segment *s, unsigned row, struct region_span *own)
{
	size_t head = round_up(sizeof(struct head)) + (size_t)row * ROW_SIZE, cells;
	unsigned n, count = 0;

	own[count++] = (struct region_span){ head, head + ROW_SIZE };
	for (n = 0; n < reach(s); n++) {
		cells = extent_at(s, n) + directory_size();
		own[count++] = (struct region_span){ cells, cells + segment_layout.stride };
		cells += (size_t)row * segment_layout.stride;
		own[count++] = (struct region_span){ cells, cells + segment_layout.stride };
	}
	return count;
}

int segment_confine(struct segment *s, unsigned row, struct err *err)
{
	struct region_span *own;
	unsigned n;
	int rc;

	if (s->region.fd < 0)
		return 0;
	BUG_ON(!row || row >= s->head->rows);
	own = calloc(1 + 2 * (size_t)reach(s), sizeof(*own));
	for (n = 0; own && n < reach(s) && map_extent(s, n); n++)
		;
	if (!own || n < reach(s))
		rc = err_set(err, "cannot protect the memory of run-time numbers: %s",
			     strerror(errno));
	else
		rc = region_confine(&s->region, own, own_spans(s, row, own), err);
	free(own);
	return rc;
}

int segment_fd(const struct segment *s)
{
	return s->region.fd;
}

uint64_t segment_identity(const struct segment *s)
{
	return region_identity(&s->region);
}

unsigned segment_capacity(const struct segment *s)
{
	return s->head->rows;
}

/* ---- slots: the parent's --------------------------------------------------------------- */

static uint64_t hash_bytes(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t hash_of(enum segment_kind kind, const char *name)
{
	return hash_bytes(UINT64_C(0xcbf29ce484222325) + kind, name);
}

static void index_put(struct segment *s, unsigned slot)
{
	size_t i = entry_of(s, slot)->hash & (s->index_size - 1);

	while (s->index[i])
		i = (i + 1) & (s->index_size - 1);
	s->index[i] = slot + 1;
}

/* Room for one slot more, at most half full; made anew from the directory. */
static int index_make(struct segment *s, struct err *err)
{
	unsigned slot, used = s->head->slots_used;
	size_t size = 512;

	if (s->index && used + 1 <= s->index_size / 2)
		return 0;
	while (size < 4 * (size_t)(used + 1))
		size *= 2;
	free(s->index);
	s->index = calloc(size, sizeof(*s->index));
	if (!s->index)
		return err_set(err, "out of memory for the names of %u objects", used);
	s->index_size = size;
	for (slot = 0; slot < used; slot++)
		if (entry_of(s, slot)->kind != SLOT_FREE)
			index_put(s, slot);
	return 0;
}

/* Longer names were cut; their hash tells them apart. */
static bool same_name(const struct entry *e, uint64_t hash, enum segment_kind kind,
		      const char *name)
{
	return e->hash == hash && e->kind == kind &&
	       !strncmp(e->name, name, sizeof(e->name) - 1);
}

/* The first of that name that nobody has asked for in this epoch; -1: none. nth: how many of the
 * name there are. */
static int index_find(const struct segment *s, enum segment_kind kind, const char *name,
		      unsigned *nth)
{
	uint64_t hash = hash_of(kind, name);
	size_t i = hash & (s->index_size - 1);
	const struct entry *e, *best = NULL;
	int found = -1;

	for (*nth = 0; s->index[i]; i = (i + 1) & (s->index_size - 1)) {
		e = entry_of(s, s->index[i] - 1);
		if (!same_name(e, hash, kind, name))
			continue;
		if (e->nth >= *nth)
			*nth = e->nth + 1;
		if (e->epoch == s->head->epoch || (best && best->nth < e->nth))
			continue;
		best = e;
		found = (int)s->index[i] - 1;
	}
	return found;
}

static int free_slot(struct segment *s, struct err *err)
{
	unsigned slot = s->free_hint, used = s->head->slots_used;

	while (slot < used && entry_of(s, slot)->kind != SLOT_FREE)
		slot++;
	s->free_hint = slot;
	if (slot == s->head->extents * SEGMENT_SLOTS && s->reach && s->head->extents == s->reach)
		return err_set(err, "there is no room for more until the next reload, at which "
				    "workers make room for as many again");
	if (slot == s->head->extents * SEGMENT_SLOTS && grow(s, err) < 0)
		return -1;
	if (slot == used)
		s->head->slots_used = used + 1;
	return (int)slot;
}

static struct entry *entry_fill(const struct segment *s, unsigned slot, enum segment_kind kind,
				const char *name)
{
	struct entry *e = entry_of(s, slot);

	*e = (struct entry){ .hash = hash_of(kind, name), .kind = kind, .epoch = s->head->epoch };
	memcpy(e->name, name, strnlen(name, sizeof(e->name) - 1));
	return e;
}

int segment_slot(struct segment *s, enum segment_kind kind, const char *name, bool *found,
		 struct err *err)
{
	unsigned nth;
	int slot;

	BUG_ON(kind <= SLOT_FREE || kind >= SLOT_KINDS);
	if (index_make(s, err) < 0)
		return -1;
	slot = index_find(s, kind, name, &nth);
	if (found)
		*found = slot >= 0;
	if (slot >= 0) {
		entry_of(s, (unsigned)slot)->epoch = s->head->epoch;
		return slot;
	}
	slot = free_slot(s, err);
	if (slot < 0)
		return -1;
	entry_fill(s, (unsigned)slot, kind, name)->nth = nth;
	index_put(s, (unsigned)slot);
	return slot;
}

/* ---- slots that come and go ------------------------------------------------------------- */

int segment_slot_fresh(struct segment *s, enum segment_kind kind, const char *name,
		       uint32_t serial, struct err *err)
{
	struct entry *e;
	int slot;

	s->reach = reach(s);
	slot = free_slot(s, err);
	if (slot < 0)
		return -1;
	e = entry_fill(s, (unsigned)slot, kind, name);
	e->serial = serial;
	e->born = s->epoch;
	return slot;
}

int segment_slot_find(struct segment *s, enum segment_kind kind, const char *name, uint32_t serial)
{
	unsigned used = s->head->slots_used, at = s->found, n;
	uint64_t hash = hash_of(kind, name);
	const struct entry *e;

	/* Most often it is the one behind the last. */
	for (n = 0; n < used; n++, at++) {
		at = at < used ? at : 0;
		e = entry_of(s, at);
		if (e->hash != hash || e->serial != serial || e->born != s->epoch ||
		    (e->kind != kind && e->kind != SLOT_RETIRED))
			continue;
		s->found = at;
		return (int)at;
	}
	return -1;
}

void segment_retire(struct segment *s, unsigned slot)
{
	entry_of(s, slot)->kind = SLOT_RETIRED;
}

static void clear_slot(struct segment *s, unsigned slot)
{
	unsigned row;

	for (row = 0; row < segment_rows(s); row++)
		memset(segment_cell(s, row, slot), 0, segment_layout.cell);
	memset(entry_of(s, slot), 0, sizeof(struct entry));
}

/* The index goes: names are looked for at the start of an image alone. */
static void settle_slots(struct segment *s)
{
	free(s->index);
	s->index = NULL;
	while (s->head->slots_used && entry_of(s, s->head->slots_used - 1)->kind == SLOT_FREE)
		s->head->slots_used--;
}

void segment_release(struct segment *s, unsigned slot)
{
	clear_slot(s, slot);
	settle_slots(s);
	if (slot < s->free_hint)
		s->free_hint = slot;
}

void segment_rename(struct segment *s, unsigned slot, const char *name)
{
	struct entry *e = entry_of(s, slot);

	e->hash = hash_of((enum segment_kind)e->kind, name);
	memset(e->name, 0, sizeof(e->name));
	memcpy(e->name, name, strnlen(name, sizeof(e->name) - 1));
	settle_slots(s);
}

unsigned segment_slots_taken(const struct segment *s)
{
	unsigned slot, n = 0;

	for (slot = 0; slot < s->head->slots_used; slot++)
		n += entry_of(s, slot)->kind != SLOT_FREE;
	return n;
}

unsigned segment_release_unused(struct segment *s)
{
	unsigned slot, n = 0;

	for (slot = 0; slot < s->head->slots_used; slot++) {
		const struct entry *e = entry_of(s, slot);

		if (e->kind == SLOT_FREE || e->epoch == s->head->epoch)
			continue;
		clear_slot(s, slot);
		n++;
	}
	settle_slots(s);
	s->free_hint = 0;
	return n;
}

enum segment_kind segment_slot_kind(const struct segment *s, unsigned slot)
{
	return (enum segment_kind)entry_of(s, slot)->kind;
}

const char *segment_slot_name(const struct segment *s, unsigned slot)
{
	return entry_of(s, slot)->name;
}

unsigned segment_slots(const struct segment *s)
{
	return s->head->slots_used;
}

/* ---- rows ------------------------------------------------------------------------------ */

struct segment_row *segment_row(const struct segment *s, unsigned row)
{
	BUG_ON(row >= s->head->rows);
	return (struct segment_row *)(void *)(s->rows + (size_t)row * ROW_SIZE);
}

unsigned segment_rows(const struct segment *s)
{
	return s ? atomic_load_explicit(&s->head->rows_used, memory_order_acquire) : 1;
}

bool segment_row_is_taken(const struct segment *s, unsigned row)
{
	return s->head->taken[row];
}

int segment_take_row(struct segment *s, uint32_t generation, uint32_t number)
{
	struct segment_row *r;
	uint64_t woken;
	unsigned row;

	for (row = 1; row < s->head->rows; row++) {
		if (s->head->taken[row])
			continue;
		r = segment_row(s, row);
		memset(r, 0, sizeof(*r));
		r->generation = generation;
		r->number = number;
		s->head->taken[row] = 1;
		r->taken = 1;
		if (row >= s->head->rows_used)
			s->head->rows_used = row + 1;
		if (read(s->head->wake[row], &woken, sizeof(woken)) < 0)
			woken = 0; /* else it was meant for another; a read takes all */
		return (int)row;
	}
	return -1;
}

void segment_free_row(struct segment *s, unsigned row)
{
	BUG_ON(!row || !s->head->taken[row]);
	s->head->taken[row] = 0;
	memset(segment_row(s, row), 0, sizeof(struct segment_row));
	/* Sums need not look at rows that are free. */
	while (!s->head->taken[s->head->rows_used - 1])
		s->head->rows_used--;
}

void segment_fold_begin(struct segment *s)
{
	atomic_fetch_add(&s->head->fold, 1);
}

void segment_fold_end(struct segment *s)
{
	atomic_fetch_add(&s->head->fold, 1);
}

/* Who folds may have died, or be out of the processor: it is waited for, but not for ever. */
uint64_t segment_sum_begin(const struct segment *s)
{
	unsigned tries = 0;
	uint64_t fold;

	if (!s)
		return 0;
	while ((fold = atomic_load(&s->head->fold)) & 1 && tries++ < FOLD_TRIES)
		sched_yield();
	return fold;
}

bool segment_sum_again(const struct segment *s, uint64_t begun)
{
	if (!s)
		return false;
	atomic_thread_fence(memory_order_acquire);
	return atomic_load(&s->head->fold) != begun;
}

void segment_wake(const struct segment *s, unsigned row)
{
	const uint64_t one = 1;
	ssize_t n;

	if (row < s->head->rows && s->head->wake[row] >= 0) {
		n = write(s->head->wake[row], &one, sizeof(one));
		(void)n; /* EAGAIN: it was woken more than enough */
	}
}

int segment_wake_fd(const struct segment *s, unsigned row)
{
	return row < s->head->rows ? s->head->wake[row] : -1;
}

/* ---- the checker ----------------------------------------------------------------------- */

static int check_head(const struct segment *s, struct err *err)
{
	const struct head *h = s->head;

	if (h->rows < 1 || h->rows > SEGMENT_ROWS_MOST || h->extents > EXTENTS_MOST)
		return err_set(err, "the head is destroyed");
	if (h->rows_used < 1 || h->rows_used > h->rows)
		return err_set(err, "%u rows of %u are in use", h->rows_used, h->rows);
	if (h->slots_used > h->extents * SEGMENT_SLOTS)
		return err_set(err, "%u slots of %u are in use", h->slots_used,
			       h->extents * SEGMENT_SLOTS);
	if (h->fold & 1)
		return err_set(err, "the fold of a row has not ended");
	return 0;
}

static bool all_zero(const void *memory, size_t size)
{
	const char *p = memory;

	return !*p && !memcmp(p, p + 1, size - 1);
}

static int check_rows(const struct segment *s, struct err *err)
{
	const struct segment_row *r;
	unsigned row;

	for (row = 0; row < s->head->rows_used; row++) {
		r = segment_row(s, row);
		if (!s->head->taken[row] && !all_zero(r, sizeof(*r)))
			return err_set(err, "row %u is free but has a head", row);
		if (r->taken != s->head->taken[row])
			return err_set(err, "row %u says that it is %s", row,
				       r->taken ? "taken" : "free");
		if (s->region.fd >= 0 && fcntl(s->head->wake[row], F_GETFD) < 0)
			return err_set(err, "row %u cannot be woken", row);
	}
	return s->head->taken[0] ? 0 : err_set(err, "the row of the parent is free");
}

static int check_cells(const struct segment *s, unsigned slot, struct err *err)
{
	bool free = segment_slot_kind(s, slot) == SLOT_FREE;
	unsigned row;

	for (row = 0; row < s->head->rows_used; row++)
		if ((free || !s->head->taken[row]) &&
		    !all_zero(segment_cell(s, row, slot), segment_layout.cell))
			return err_set(err, "slot %u (%s) of row %u is free but holds numbers", slot,
				       segment_slot_name(s, slot), row);
	return 0;
}

static int check_slots(const struct segment *s, struct err *err)
{
	const struct entry *e;
	unsigned slot;

	for (slot = 0; slot < s->head->slots_used; slot++) {
		e = entry_of(s, slot);
		if (e->kind >= SLOT_KINDS)
			return err_set(err, "slot %u is of no known kind", slot);
		if (e->kind == SLOT_FREE && !all_zero(e, sizeof(*e)))
			return err_set(err, "slot %u is free but has a name", slot);
		if (e->kind != SLOT_FREE && e->kind != SLOT_RETIRED &&
		    strlen(e->name) < sizeof(e->name) - 1 &&
		    e->hash != hash_of((enum segment_kind)e->kind, e->name))
			return err_set(err, "the name of slot %u is destroyed", slot);
		if (check_cells(s, slot, err) < 0)
			return -1;
	}
	return 0;
}

int segment_check(const struct segment *s, struct err *err)
{
	if (check_head(s, err) < 0 || check_rows(s, err) < 0)
		return -1;
	return check_slots(s, err);
}
