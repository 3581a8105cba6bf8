/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Called by tls/sessions.c. Layout of the memory: a head page, then regions: a page with the ring's
 * position, the index, the ring.
 *
 * A place in the ring is a number that only grows (of blocks written since the region began), so
 * whether it still holds what was put there is seen from the position alone: the writer raises
 * `reserved` before it writes, and makes the index point to the entry after it has. A reader copies
 * the entry and looks at `reserved` afterwards: if the ring has come round to it in the meantime,
 * the copy is void. Bytes that once were the middle of another entry are thus never taken for a
 * head. A writer that is killed leaves an entry that nothing points to; whoever gets its row goes
 * on behind it.
 *
 * The index: sets of eight references by hash of the id; the oldest makes way.
 */
#include "tls/session_store.h"

#include "base/bug.h"
#include "base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC UINT64_C(0x736e6f6973736573) /* "sessions" */
enum { VERSION = 1, PAGE = 4096, WAYS = 8, BLOCKS_A_SET = 4, BLOCKS_LEAST = 64 };

struct head {
	uint64_t magic;
	uint64_t of;
	uint32_t version, rows, asked, blocks, sets;
};

struct entry {
	unsigned char id[SESSION_ID];
	int64_t expires;
	uint32_t len;
	uint32_t unused;
	unsigned char bytes[];
};

/* A reference: 24 bits of the id's hash, 40 bits of a place; 0: none. */
#define PLACE_BITS 40
#define PLACE_MASK ((UINT64_C(1) << PLACE_BITS) - 1)

struct region {
	_Alignas(64) _Atomic uint64_t reserved; /* blocks that were written or are being written;
						 * the ring begins at 1 */
};

struct session_store {
	struct head *head;
	size_t size, region_size;
	unsigned rows, blocks, sets;
	int fd;
};

/* ---- memory ---------------------------------------------------------------------------- */

static size_t round_up(size_t size)
{
	return (size + PAGE - 1) & ~(size_t)(PAGE - 1);
}

static unsigned sets_for(unsigned blocks)
{
	unsigned sets = 1;

	while (sets * BLOCKS_A_SET < blocks)
		sets *= 2;
	return sets;
}

static size_t index_size(unsigned sets)
{
	return round_up((size_t)sets * WAYS * sizeof(uint64_t));
}

static size_t region_size(unsigned blocks)
{
	return PAGE + index_size(sets_for(blocks)) + round_up((size_t)blocks * SESSION_BLOCK);
}

/* What is in it must not be in a dump of the memory. */
static void *map(int fd, size_t size)
{
	int flags = MAP_SHARED | MAP_NORESERVE | (fd < 0 ? MAP_ANONYMOUS : 0);
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (p == MAP_FAILED)
		return NULL;
	madvise(p, size, MADV_DONTDUMP);
	return p;
}

static struct session_store *store_map(int fd, unsigned rows, unsigned blocks)
{
	struct session_store *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->fd = fd;
	s->rows = rows;
	s->blocks = blocks;
	s->sets = sets_for(blocks);
	s->region_size = region_size(blocks);
	s->size = PAGE + rows * s->region_size;
	s->head = map(fd, s->size);
	if (!s->head) {
		free(s);
		return NULL;
	}
	return s;
}

/* fd -1: errno. */
static int open_memory(unsigned rows, unsigned blocks)
{
	int fd = memfd_create("penstock-sessions", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, (off_t)(PAGE + rows * region_size(blocks))) == 0)
		return fd;
	close(fd);
	return -1;
}

struct session_store *session_store_new(unsigned rows, unsigned workers, unsigned blocks,
					const uint64_t *of, struct err *err)
{
	unsigned each = (blocks + workers - 1) / workers;
	struct session_store *s = NULL;
	int fd;

	if (each < BLOCKS_LEAST)
		each = BLOCKS_LEAST;
	fd = of ? open_memory(rows, each) : -1;
	if (fd >= 0 || !of)
		s = store_map(fd, rows, each);
	if (!s) {
		err_set(err, "no memory for the cache of TLS sessions: %s", strerror(errno));
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	*s->head = (struct head){ .magic = MAGIC, .version = VERSION, .of = of ? *of : 0,
				  .rows = rows, .asked = blocks, .blocks = each,
				  .sets = s->sets };
	return s;
}

struct session_store *session_store_attach(int fd, unsigned rows, unsigned blocks, uint64_t of)
{
	struct head head;
	struct stat st;

	if (pread(fd, &head, sizeof(head), 0) != sizeof(head) || head.magic != MAGIC ||
	    head.version != VERSION || head.of != of || head.rows < rows || head.asked != blocks ||
	    head.blocks < BLOCKS_LEAST || head.sets != sets_for(head.blocks) ||
	    fstat(fd, &st) < 0 ||
	    (size_t)st.st_size != PAGE + head.rows * region_size(head.blocks))
		return NULL;
	return store_map(fd, head.rows, head.blocks);
}

void session_store_free(struct session_store **store)
{
	struct session_store *s = *store;

	if (!s)
		return;
	munmap(s->head, s->size);
	free(s);
	*store = NULL;
}

int session_store_fd(const struct session_store *s)
{
	return s->fd;
}

static char *region_at(const struct session_store *s, unsigned row)
{
	return (char *)s->head + PAGE + row * s->region_size;
}

/* Without /proc the rest cannot be written either, though mapped from a descriptor that could. */
static int only_read(const struct session_store *s, int fd, size_t from, size_t to)
{
	char *at = (char *)s->head + from;

	if (from == to)
		return 0;
	if (mmap(at, to - from, PROT_READ, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, fd,
		 (off_t)from) == MAP_FAILED)
		return -1;
	return madvise(at, to - from, MADV_DONTDUMP);
}

int session_store_confine(struct session_store *s, unsigned row, struct err *err)
{
	size_t own = PAGE + row * s->region_size;
	char path[32];
	int fd, rc;

	BUG_ON(row >= s->rows);
	if (s->fd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", s->fd);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	rc = only_read(s, fd < 0 ? s->fd : fd, 0, own) |
	     only_read(s, fd < 0 ? s->fd : fd, own + s->region_size, s->size);
	if (rc)
		err_set(err, "cannot protect the cache of TLS sessions: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
	s->fd = -1;
	return rc;
}

/* ---- entries --------------------------------------------------------------------------- */

static struct region *region_of(const struct session_store *s, unsigned row)
{
	return (struct region *)(void *)region_at(s, row);
}

/* Ids are random but for their first bytes. */
static _Atomic uint64_t *set_of(const struct session_store *s, unsigned row,
				const unsigned char *id)
{
	uint32_t hash;

	memcpy(&hash, id + 4, sizeof(hash));
	return (_Atomic uint64_t *)(void *)(region_at(s, row) + PAGE) +
	       (size_t)(hash & (s->sets - 1)) * WAYS;
}

static uint64_t tag_of(const unsigned char *id)
{
	uint64_t hash;

	memcpy(&hash, id + 8, sizeof(hash));
	return hash << PLACE_BITS;
}

static struct entry *entry_at(const struct session_store *s, unsigned row, uint64_t place)
{
	char *ring = region_at(s, row) + PAGE + index_size(s->sets);

	return (struct entry *)(void *)(ring + (place % s->blocks) * SESSION_BLOCK);
}

/* The ring has not come round to this place. */
static bool is_there(const struct session_store *s, uint64_t place, uint64_t reserved)
{
	return place && place < reserved && reserved <= place + s->blocks;
}

static unsigned row_of(const unsigned char *id)
{
	return (unsigned)id[0] << 8 | id[1];
}

void session_store_mark(unsigned row, unsigned char id[SESSION_ID])
{
	id[0] = (unsigned char)(row >> 8);
	id[1] = (unsigned char)row;
}

/* The reference to be replaced: that of the same id, a free one, the oldest. */
static _Atomic uint64_t *victim(_Atomic uint64_t *set, uint64_t tag)
{
	_Atomic uint64_t *oldest = set;
	uint64_t ref;
	unsigned i;

	for (i = 0; i < WAYS; i++) {
		ref = atomic_load_explicit(&set[i], memory_order_relaxed);
		if (ref && (ref & ~PLACE_MASK) == tag)
			return &set[i];
		if ((ref & PLACE_MASK) <
		    (atomic_load_explicit(oldest, memory_order_relaxed) & PLACE_MASK))
			oldest = &set[i];
	}
	return oldest;
}

/* Takes n blocks in a row. */
static uint64_t reserve(struct session_store *s, unsigned row, unsigned n)
{
	struct region *r = region_of(s, row);
	uint64_t place = atomic_load_explicit(&r->reserved, memory_order_relaxed);

	if (!place)
		place = 1;
	if (place % s->blocks + n > s->blocks)
		place += s->blocks - place % s->blocks;
	atomic_store(&r->reserved, place + n);
	atomic_thread_fence(memory_order_seq_cst);
	return place;
}

bool session_store_put(struct session_store *s, unsigned row, const unsigned char *id,
		       const void *bytes, size_t len, int64_t expires)
{
	struct entry *e;
	uint64_t place;

	BUG_ON(row >= s->rows || row_of(id) != row);
	if (!len || len > SESSION_MOST)
		return false;
	place = reserve(s, row, (unsigned)((sizeof(*e) + len + SESSION_BLOCK - 1) / SESSION_BLOCK));
	e = entry_at(s, row, place);
	memcpy(e->id, id, SESSION_ID);
	e->expires = expires;
	e->len = (uint32_t)len;
	memcpy(e->bytes, bytes, len);
	atomic_store_explicit(victim(set_of(s, row, id), tag_of(id)),
			      tag_of(id) | (place & PLACE_MASK), memory_order_release);
	return true;
}

/* Copies the entry and only then asks whether it was still there. */
static size_t take(const struct session_store *s, unsigned row, uint64_t place,
		   const unsigned char *id, int64_t now, void *bytes)
{
	const struct entry *e = entry_at(s, row, place);
	struct region *r = region_of(s, row);
	struct entry head;

	if (!is_there(s, place, atomic_load_explicit(&r->reserved, memory_order_acquire)))
		return 0;
	memcpy(&head, e, sizeof(head));
	if (memcmp(head.id, id, SESSION_ID) || head.expires < now || head.len > SESSION_MOST ||
	    sizeof(head) + head.len > (s->blocks - place % s->blocks) * SESSION_BLOCK)
		return 0;
	memcpy(bytes, e->bytes, head.len);
	atomic_thread_fence(memory_order_seq_cst);
	return is_there(s, place, atomic_load_explicit(&r->reserved, memory_order_relaxed)) ?
		       head.len : 0;
}

size_t session_store_get(const struct session_store *s, int only_row, const unsigned char *id,
			 int64_t now, void *bytes)
{
	unsigned row = row_of(id), i;
	_Atomic uint64_t *set;
	uint64_t ref;
	size_t len;

	if (row >= s->rows || (only_row >= 0 && row != (unsigned)only_row))
		return 0;
	set = set_of(s, row, id);
	for (i = 0; i < WAYS; i++) {
		ref = atomic_load_explicit(&set[i], memory_order_acquire);
		if (!ref || (ref & ~PLACE_MASK) != tag_of(id))
			continue;
		len = take(s, row, ref & PLACE_MASK, id, now, bytes);
		if (len)
			return len;
	}
	return 0;
}

void session_store_remove(struct session_store *s, unsigned row, const unsigned char *id)
{
	_Atomic uint64_t *set;
	unsigned i;

	if (row_of(id) != row || row >= s->rows)
		return;
	set = set_of(s, row, id);
	for (i = 0; i < WAYS; i++)
		if ((set[i] & ~PLACE_MASK) == tag_of(id) &&
		    !memcmp(entry_at(s, row, set[i] & PLACE_MASK)->id, id, SESSION_ID))
			atomic_store_explicit(&set[i], 0, memory_order_relaxed);
}
