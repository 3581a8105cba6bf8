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
#include "base/segment.h"

#include "base/bug.h"
#include "base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC UINT64_C(0x746e656d67657350) /* "Psegment" */
enum { VERSION = 2, PAGE = 4096, ROW_SIZE = PAGE, EXTENTS_MOST = 4096, FOLD_TRIES = 1000 };

struct head {
	uint64_t magic, layout;
	uint32_t version, rows, extents;
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
	char name[SEGMENT_NAME];
};

struct segment {
	struct head *head;
	char *rows;
	int fd;
	bool confined;  /* fd can only be read */
	size_t extent_size;
	char *extents[EXTENTS_MOST]; /* NULL: not mapped yet by this process */
	/* Only in the parent: slots + 1 by hash, and how often a name was asked for. */
	uint32_t *index;
	size_t index_size;           /* a power of two */
	unsigned free_hint;          /* no free slot below */
};

uint64_t segment_layout;
struct segment *segment;
unsigned segment_own_row, segment_workers = 1;
static struct segment_row nobody;
struct segment_row *segment_own = &nobody;

/* ---- memory ---------------------------------------------------------------------------- */

static size_t round_up(size_t size)
{
	return (size + PAGE - 1) & ~(size_t)(PAGE - 1);
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
	return directory_size() + (size_t)rows * SEGMENT_STRIDE;
}

/* fd -1: of this process and those that it forks. NULL: errno. */
static char *map(int fd, off_t offset, size_t size, int protection)
{
	int flags = MAP_SHARED | MAP_NORESERVE | (fd < 0 ? MAP_ANONYMOUS : 0);
	char *p = mmap(NULL, size, protection, flags, fd, fd < 0 ? 0 : offset);

	return p == MAP_FAILED ? NULL : p;
}

static char *map_extent(struct segment *s, unsigned n)
{
	off_t offset = (off_t)(head_size(s->head->rows) + n * s->extent_size);

	if (!s->extents[n])
		s->extents[n] = map(s->fd, offset, s->extent_size,
				    s->confined ? PROT_READ : PROT_READ | PROT_WRITE);
	return s->extents[n];
}

/* Another extent, behind the last one. */
static int grow(struct segment *s, struct err *err)
{
	unsigned n = s->head->extents;
	off_t size = (off_t)(head_size(s->head->rows) + (n + 1) * s->extent_size);

	if (n == EXTENTS_MOST)
		return err_set(err, "there are more than %u proxies, servers and listeners",
			       EXTENTS_MOST * SEGMENT_SLOTS);
	if ((s->fd >= 0 && ftruncate(s->fd, size) < 0) || !map_extent(s, n))
		return err_set(err, "cannot enlarge the memory of run-time numbers: %s",
			       strerror(errno));
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
	return extent + directory_size() + (size_t)row * SEGMENT_STRIDE +
	       (size_t)(slot % SEGMENT_SLOTS) * SEGMENT_CELL;
}

/* ---- making it ------------------------------------------------------------------------- */

static struct segment *map_head(int fd, unsigned rows, struct err *err)
{
	struct segment *s = calloc(1, sizeof(*s));
	char *memory = s ? map(fd, 0, head_size(rows), PROT_READ | PROT_WRITE) : NULL;

	if (!memory) {
		err_set(err, "no memory for run-time numbers: %s", strerror(errno));
		free(s);
		return NULL;
	}
	s->fd = fd;
	s->head = (struct head *)(void *)memory;
	s->rows = memory + round_up(sizeof(struct head));
	s->extent_size = extent_size(rows);
	return s;
}

/* The limit that is in force may be a low one, which we may raise: what a start needs in all is not
 * known yet. */
static bool raise_limit(unsigned more)
{
	struct rlimit rl;

	if (getrlimit(RLIMIT_NOFILE, &rl) < 0 || rl.rlim_cur >= rl.rlim_max)
		return false;
	rl.rlim_cur = rl.rlim_max - rl.rlim_cur > more ? rl.rlim_cur + more : rl.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &rl) == 0;
}

static int open_wake(unsigned rows)
{
	int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);

	if (fd < 0 && errno == EMFILE && raise_limit(rows))
		fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	return fd;
}

static int open_wakes(struct segment *s, struct err *err)
{
	unsigned i;

	for (i = 0; i < s->head->rows; i++)
		s->head->wake[i] = -1;
	for (i = 0; i < s->head->rows && s->fd >= 0; i++) {
		s->head->wake[i] = open_wake(s->head->rows);
		if (s->head->wake[i] < 0)
			return err_set(err, "cannot make %u eventfds for the workers: %s%s",
				       s->head->rows, strerror(errno), errno == EMFILE ?
				       ": raise the limit (ulimit -n, LimitNOFILE=)" : "");
	}
	return 0;
}

static int open_memory(unsigned rows, struct err *err)
{
	int fd = memfd_create("penstock", MFD_CLOEXEC);

	if (fd >= 0 && ftruncate(fd, (off_t)head_size(rows)) < 0) {
		close(fd);
		fd = -1;
	}
	if (fd < 0)
		err_set(err, "no shared memory for run-time numbers: %s", strerror(errno));
	return fd;
}

struct segment *segment_new(unsigned rows, struct err *err)
{
	struct segment *s;
	int fd = -1;

	BUG_ON(rows < 1 || rows > SEGMENT_ROWS_MOST);
	if (rows > 1 && (fd = open_memory(rows, err)) < 0)
		return NULL;
	s = map_head(fd, rows, err);
	if (!s) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	s->head->magic = MAGIC;
	s->head->layout = segment_layout;
	s->head->version = VERSION;
	s->head->rows = rows;
	s->head->epoch = 1;
	s->head->rows_used = 1;
	s->head->taken[0] = 1;
	segment_row(s, 0)->taken = 1;
	if (open_wakes(s, err) < 0 || grow(s, err) < 0)
		segment_free(&s);
	return s;
}

static bool head_is_ours(int fd, struct head *head)
{
	struct stat st;

	return pread(fd, head, sizeof(*head), 0) == sizeof(*head) && head->magic == MAGIC &&
	       head->version == VERSION && head->layout == segment_layout && head->rows > 1 &&
	       head->rows <= SEGMENT_ROWS_MOST && head->extents <= EXTENTS_MOST &&
	       fstat(fd, &st) == 0 &&
	       (size_t)st.st_size >=
		       head_size(head->rows) + head->extents * extent_size(head->rows);
}

struct segment *segment_attach(int fd, struct err *err)
{
	struct segment *s;
	struct head head;

	if (!head_is_ours(fd, &head)) {
		err_set(err, "the run-time numbers are of another version");
		return NULL;
	}
	s = map_head(fd, head.rows, err);
	if (s)
		s->head->epoch++;
	return s;
}

void segment_free(struct segment **segment_ptr)
{
	struct segment *s = *segment_ptr;
	unsigned i, rows;

	if (!s)
		return;
	if (segment == s) {
		segment = NULL;
		segment_own = &nobody;
	}
	rows = s->head->rows;
	for (i = 0; i < rows && s->fd >= 0; i++)
		if (s->head->wake[i] >= 0)
			close(s->head->wake[i]);
	for (i = 0; i < EXTENTS_MOST && s->extents[i]; i++)
		munmap(s->extents[i], s->extent_size);
	munmap(s->head, head_size(rows));
	if (s->fd >= 0)
		close(s->fd);
	free(s->index);
	free(s);
	*segment_ptr = NULL;
}

/* ---- what a worker may write ----------------------------------------------------------- */

/* [from, to) of the memory at base, which shows the file from offset on. */
static int only_read(int fd, char *base, off_t offset, size_t from, size_t to)
{
	if (from == to)
		return 0;
	return mmap(base + from, to - from, PROT_READ, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, fd,
		    offset + (off_t)from) == MAP_FAILED ? -1 : 0;
}

/* Without /proc the memory is protected all the same, though not against whoever takes it back. */
static int open_to_read(int fd)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static int confine_head(struct segment *s, int fd, unsigned row)
{
	size_t rows = round_up(sizeof(struct head)), own = rows + (size_t)row * ROW_SIZE;
	char *base = (char *)s->head;

	return only_read(fd, base, 0, 0, own) < 0 ||
	       only_read(fd, base, 0, own + ROW_SIZE, head_size(s->head->rows)) < 0 ? -1 : 0;
}

static int confine_extent(struct segment *s, int fd, unsigned n, unsigned row)
{
	off_t offset = (off_t)(head_size(s->head->rows) + n * s->extent_size);
	size_t cells = directory_size(), own = cells + (size_t)row * SEGMENT_STRIDE;

	if (only_read(fd, s->extents[n], offset, 0, cells) < 0 ||
	    only_read(fd, s->extents[n], offset, cells + SEGMENT_STRIDE, own) < 0)
		return -1;
	return only_read(fd, s->extents[n], offset, own + SEGMENT_STRIDE, s->extent_size);
}

int segment_confine(struct segment *s, unsigned row, struct err *err)
{
	unsigned n;
	int fd;

	if (s->fd < 0)
		return 0;
	BUG_ON(!row || row >= s->head->rows);
	fd = open_to_read(s->fd);
	if (fd < 0)
		fd = fcntl(s->fd, F_DUPFD_CLOEXEC, 0);
	for (n = 0; fd >= 0 && n < s->head->extents; n++)
		if (!map_extent(s, n) || confine_extent(s, fd, n, row) < 0)
			break;
	if (fd < 0 || n < s->head->extents || confine_head(s, fd, row) < 0) {
		err_set(err, "cannot protect the memory of run-time numbers: %s", strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	close(s->fd);
	s->fd = fd;
	s->confined = true;
	return 0;
}

int segment_fd(const struct segment *s)
{
	return s->fd;
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
	if (slot == s->head->extents * SEGMENT_SLOTS && grow(s, err) < 0)
		return -1;
	if (slot == used)
		s->head->slots_used = used + 1;
	return (int)slot;
}

int segment_slot(struct segment *s, enum segment_kind kind, const char *name, bool *found,
		 struct err *err)
{
	struct entry *e;
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
	e = entry_of(s, (unsigned)slot);
	*e = (struct entry){ .hash = hash_of(kind, name), .kind = kind, .nth = nth,
			     .epoch = s->head->epoch };
	memcpy(e->name, name, strnlen(name, sizeof(e->name) - 1));
	index_put(s, (unsigned)slot);
	return slot;
}

unsigned segment_release_unused(struct segment *s)
{
	unsigned slot, row, n = 0;

	for (slot = 0; slot < s->head->slots_used; slot++) {
		struct entry *e = entry_of(s, slot);

		if (e->kind == SLOT_FREE || e->epoch == s->head->epoch)
			continue;
		for (row = 0; row < segment_rows(s); row++)
			memset(segment_cell(s, row, slot), 0, SEGMENT_CELL);
		memset(e, 0, sizeof(*e));
		n++;
	}
	free(s->index);
	s->index = NULL;
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

	if (h->magic != MAGIC || h->version != VERSION)
		return err_set(err, "the head is destroyed");
	if (h->layout != segment_layout)
		return err_set(err, "the layout is that of another program");
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
		if (s->fd >= 0 && fcntl(s->head->wake[row], F_GETFD) < 0)
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
		    !all_zero(segment_cell(s, row, slot), SEGMENT_CELL))
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
		if (e->kind != SLOT_FREE && strlen(e->name) < sizeof(e->name) - 1 &&
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
