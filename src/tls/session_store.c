/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Called by tls/sessions.c. Layout of the memory: a head page, then a part for each row: a page
 * with the ring's position, the index, the ring.
 *
 * A place in the ring is a number that only grows (of blocks written since the part began), so
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
#include "share/region.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 2, PAGE = REGION_PAGE, WAYS = 8, BLOCKS_A_SET = 4, BLOCKS_LEAST = 64 };

struct head {
	uint64_t of;
	uint32_t rows, asked, blocks, sets;
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

struct part {
	_Alignas(64) _Atomic uint64_t reserved; /* blocks that were written or are being written;
						 * the ring begins at 1 */
};

struct session_store {
	struct region region;
	struct head *head;
	size_t part_size;
	unsigned rows, blocks, sets;
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

static size_t part_size(unsigned blocks)
{
	return PAGE + index_size(sets_for(blocks)) + round_up((size_t)blocks * SESSION_BLOCK);
}

static size_t store_size(unsigned rows, unsigned blocks)
{
	return PAGE + rows * part_size(blocks);
}

static const struct region_spec *spec(void)
{
	static const struct region_member members[] = {
		REGION_SIZE(struct head), REGION_MEMBER(struct head, of),
		REGION_MEMBER(struct head, rows), REGION_MEMBER(struct head, asked),
		REGION_MEMBER(struct head, blocks), REGION_MEMBER(struct head, sets),
		REGION_SIZE(struct entry), REGION_MEMBER(struct entry, id),
		REGION_MEMBER(struct entry, expires), REGION_MEMBER(struct entry, len),
		REGION_MEMBER(struct entry, bytes[0]), REGION_SIZE(struct part),
		{ "ways, blocks a set", WAYS, BLOCKS_A_SET },
		{ "place", PLACE_BITS, SESSION_BLOCK },
	};
	static struct region_spec spec = { .name = "sessions", .what = "TLS sessions",
					   .secret = true };

	if (!spec.layout)
		spec.layout = region_layout(VERSION, members, ARRAY_LEN(members));
	return &spec;
}

static void store_shape(struct session_store *s, unsigned rows, unsigned blocks)
{
	s->rows = rows;
	s->blocks = blocks;
	s->sets = sets_for(blocks);
	s->part_size = part_size(blocks);
}

static bool store_map(struct session_store *s)
{
	s->head = region_window(&s->region, 0, store_size(s->rows, s->blocks));
	return s->head;
}

struct session_store *session_store_new(unsigned rows, unsigned workers, unsigned blocks,
					const uint64_t *of, struct err *err)
{
	unsigned each = (blocks + workers - 1) / workers;
	struct session_store *s = calloc(1, sizeof(*s));

	if (s)
		store_shape(s, rows, each < BLOCKS_LEAST ? BLOCKS_LEAST : each);
	if (s && region_new(&s->region, spec(), store_size(rows, s->blocks), of, err) < 0) {
		free(s);
		return NULL;
	}
	if (!s || !store_map(s)) {
		err_set(err, "no memory for TLS sessions: %s", strerror(errno));
		session_store_free(&s);
		return NULL;
	}
	*s->head = (struct head){ .of = of ? *of : 0, .rows = rows, .asked = blocks,
				  .blocks = s->blocks, .sets = s->sets };
	if (of)
		region_keep(&s->region);
	return s;
}

static bool is_like(const struct region *r, const struct head *head, unsigned rows,
		    unsigned blocks, uint64_t of)
{
	return head->of == of && head->rows >= rows && head->asked == blocks &&
	       head->blocks >= BLOCKS_LEAST && head->sets == sets_for(head->blocks) &&
	       r->size == store_size(head->rows, head->blocks);
}

struct session_store *session_store_attach(unsigned rows, unsigned blocks, uint64_t of)
{
	struct session_store *s = calloc(1, sizeof(*s));
	struct head head;

	if (!s || !region_attach_kept(&s->region, spec())) {
		free(s);
		return NULL;
	}
	if (!region_read(&s->region, 0, &head, sizeof(head)) ||
	    !is_like(&s->region, &head, rows, blocks, of)) {
		session_store_free(&s);
		return NULL;
	}
	store_shape(s, head.rows, head.blocks);
	if (!store_map(s))
		session_store_free(&s);
	return s;
}

void session_store_free(struct session_store **store)
{
	struct session_store *s = *store;

	if (!s)
		return;
	region_free(&s->region);
	free(s);
	*store = NULL;
}

static size_t part_at(const struct session_store *s, unsigned row)
{
	return PAGE + row * s->part_size;
}

int session_store_confine(struct session_store *s, unsigned row, struct err *err)
{
	const struct region_span own = { part_at(s, row), part_at(s, row) + s->part_size };

	BUG_ON(row >= s->rows);
	return region_confine(&s->region, &own, 1, err);
}

/* ---- entries --------------------------------------------------------------------------- */

static char *part_of(const struct session_store *s, unsigned row)
{
	return (char *)s->head + part_at(s, row);
}

static _Atomic uint64_t *reserved_of(const struct session_store *s, unsigned row)
{
	return &((struct part *)(void *)part_of(s, row))->reserved;
}

/* Ids are random but for their first bytes. */
static _Atomic uint64_t *set_of(const struct session_store *s, unsigned row,
				const unsigned char *id)
{
	uint32_t hash;

	memcpy(&hash, id + 4, sizeof(hash));
	return (_Atomic uint64_t *)(void *)(part_of(s, row) + PAGE) +
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
	char *ring = part_of(s, row) + PAGE + index_size(s->sets);

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
	_Atomic uint64_t *reserved = reserved_of(s, row);
	uint64_t place = atomic_load_explicit(reserved, memory_order_relaxed);

	if (!place)
		place = 1;
	if (place % s->blocks + n > s->blocks)
		place += s->blocks - place % s->blocks;
	atomic_store(reserved, place + n);
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
	_Atomic uint64_t *reserved = reserved_of(s, row);
	struct entry head;

	if (!is_there(s, place, atomic_load_explicit(reserved, memory_order_acquire)))
		return 0;
	memcpy(&head, e, sizeof(head));
	if (memcmp(head.id, id, SESSION_ID) || head.expires < now || head.len > SESSION_MOST ||
	    sizeof(head) + head.len > (s->blocks - place % s->blocks) * SESSION_BLOCK)
		return 0;
	memcpy(bytes, e->bytes, head.len);
	atomic_thread_fence(memory_order_seq_cst);
	return is_there(s, place, atomic_load_explicit(reserved, memory_order_relaxed)) ?
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
