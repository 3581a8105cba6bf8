/* SPDX-License-Identifier: BSD-2-Clause */
/* See share/chains.h. Only the words of blocks are changed by several processes at once; all else
 * of a chain is written by the one process that its word names. */
#include "share/chains.h"

#include "base/bug.h"

#include <string.h>

/* Upper four bits of a state; those of BLOCK_TAKEN are 2. Below them: a row, or nothing. */
enum kind { TAKEN = 2, LINK = 4, /* heads: */ GROWS = 8, GROWS_ON, WHOLE, DROPPED, CUT, GOES };

enum { PAGE = 4096, KIND_SHIFT = 28 };

/* ---- words --------------------------------------------------------------------------------- */

static uint32_t state_of(enum kind kind, uint32_t row)
{
	return (uint32_t)kind << KIND_SHIFT | row;
}

static uint64_t word_of(uint32_t generation, uint32_t state)
{
	return (uint64_t)generation << 32 | state;
}

static uint32_t generation_of(uint64_t word)
{
	return (uint32_t)(word >> 32);
}

static enum kind kind_of(uint64_t word)
{
	return (enum kind)((uint32_t)word >> KIND_SHIFT);
}

static uint64_t load(const struct chains *c, uint32_t block)
{
	return atomic_load(&c->links[block].word);
}

/* Of a block that is this process's alone. */
static void set_state(struct chains *c, uint32_t block, uint32_t state)
{
	uint32_t generation = generation_of(load(c, block));

	atomic_store_explicit(&c->links[block].word, word_of(generation, state),
			      memory_order_release);
}

/* Moves the word, unless another process has. */
static bool moves(struct chains *c, uint32_t block, uint64_t from, uint32_t state)
{
	return atomic_compare_exchange_strong(&c->links[block].word, &from,
					      word_of(generation_of(from), state));
}

/* The block of an id; count: it has none. */
static uint32_t head_of(const struct chains *c, uint64_t id)
{
	uint32_t place = (uint32_t)id;

	return place && place <= c->layout.count ? place - 1 : c->layout.count;
}

/* The word of a head of that id; 0: it has none any more. */
static uint64_t word_of_id(const struct chains *c, uint64_t id)
{
	uint32_t head = head_of(c, id);
	uint64_t word;

	if (head == c->layout.count)
		return 0;
	word = load(c, head);
	return generation_of(word) == generation_of(id) && kind_of(word) >= GROWS ? word : 0;
}

static uint64_t id_of(uint32_t head, uint64_t word)
{
	return word_of(generation_of(word), head + 1);
}

/* The block behind it; count: none. */
static uint32_t next_of(const struct chains *c, uint32_t block)
{
	uint32_t next = atomic_load_explicit(&c->links[block].next, memory_order_acquire);

	return next && next <= c->layout.count ? next - 1 : c->layout.count;
}

static bool move_on(const struct chains *c, uint32_t *block)
{
	uint32_t next = next_of(c, *block);

	if (next == c->layout.count)
		return false;
	*block = next;
	return true;
}

static void set_next(struct chains *c, uint32_t block, uint32_t next)
{
	atomic_store_explicit(&c->links[block].next, next < c->layout.count ? next + 1 : 0,
			      memory_order_release);
}

static void set_last(struct chains *c, uint64_t id, uint32_t block)
{
	atomic_store_explicit(&c->links[head_of(c, id)].last, block, memory_order_release);
}

/* ---- the memory ---------------------------------------------------------------------------- */

/* What lies there, in this order; each begins at a page. */
enum part { NUMBERS, FREE_BITS, SUMS, ROWS, LINKS, PINS, BYTES, PARTS };

static void measure(const struct chains_layout *l, size_t at[PARTS + 1])
{
	size_t count = l->count, rows = l->rows;
	const size_t sizes[PARTS] = {
		[NUMBERS] = 2 * sizeof(uint32_t),
		[FREE_BITS] = blocks_free_size(l->count),
		[SUMS] = blocks_sums_size(l->count),
		[ROWS] = rows * sizeof(struct chains_row),
		[LINKS] = count * sizeof(struct chains_link),
		[PINS] = rows * count * sizeof(uint32_t),
		[BYTES] = count * l->size,
	};
	unsigned i;

	for (at[0] = 0, i = 0; i < PARTS; i++)
		at[i + 1] = at[i] + (sizes[i] + PAGE - 1) / PAGE * PAGE;
}

size_t chains_size(const struct chains_layout *layout)
{
	size_t at[PARTS + 1];

	measure(layout, at);
	return at[PARTS];
}

/* Words say what a process is at; there is nothing else to say. */
static void intend_nothing(const struct blocks *b, uint32_t block)
{
	(void)b;
	(void)block;
}

void chains_open(struct chains *c, const struct chains_layout *layout, void *memory, uint32_t row)
{
	size_t at[PARTS + 1];
	char *base = memory;

	BUG_ON(row >= layout->rows || layout->size < 64 || (layout->size & (layout->size - 1)));
	measure(layout, at);
	*c = (struct chains){ .layout = *layout, .row = row, .bytes = base + at[BYTES] };
	c->links = (void *)(base + at[LINKS]);
	c->rows = (void *)(base + at[ROWS]);
	c->pins = (void *)(base + at[PINS]);
	c->blocks = (struct blocks){ .count = layout->count,
				     .fresh = (void *)(base + at[NUMBERS]),
				     .free = (void *)(base + at[FREE_BITS]),
				     .sums = (void *)(base + at[SUMS]),
				     .first = (char *)&c->links[0].word,
				     .stride = sizeof(c->links[0]),
				     .intend = intend_nothing };
	c->blocks.freed = c->blocks.fresh + 1;
}

/* ---- giving back --------------------------------------------------------------------------- */

/* The first link behind that block, of a chain that only the process of that row changes, is in no
 * chain any more. False: there is none. */
static bool drop_next(struct chains *c, uint32_t block, uint32_t row)
{
	uint32_t next = next_of(c, block), taken = state_of(TAKEN, row);
	uint64_t word;

	if (next == c->layout.count)
		return false;
	word = load(c, next);
	if (kind_of(word) != LINK && (uint32_t)word != taken)
		return false;
	set_state(c, next, taken);
	set_next(c, block, next_of(c, next));
	blocks_give(&c->blocks, next, generation_of(word), taken);
	return true;
}

/* All of a chain, whose head goes and is that row's. */
static void dissolve(struct chains *c, uint32_t head, uint32_t row)
{
	uint32_t generation = generation_of(load(c, head));

	while (drop_next(c, head, row))
		;
	blocks_give(&c->blocks, head, generation, state_of(GOES, row));
}

static bool is_pinned(const struct chains *c, uint32_t head)
{
	uint32_t row;

	for (row = 0; row < c->layout.rows; row++)
		if (atomic_load_explicit(&c->rows[row].pins, memory_order_relaxed) &&
		    atomic_load_explicit(&c->pins[(size_t)row * c->layout.count + head],
					 memory_order_relaxed))
			return true;
	return false;
}

/* A head that was dropped or cut goes, unless somebody has it pinned or is quicker. */
static void free_unpinned(struct chains *c, uint32_t head)
{
	uint64_t word = load(c, head);

	if (kind_of(word) != DROPPED && kind_of(word) != CUT)
		return;
	atomic_thread_fence(memory_order_seq_cst); /* the word is read before the pins: see pin */
	if (!is_pinned(c, head) && moves(c, head, word, state_of(GOES, c->row)))
		dissolve(c, head, c->row);
}

static uint32_t to_grow_on(uint64_t word)
{
	return ((uint32_t)word & ((1u << KIND_SHIFT) - 1)) | state_of(GROWS_ON, 0);
}

bool chains_drop(struct chains *c, uint64_t id)
{
	uint64_t word = word_of_id(c, id);
	uint32_t head = head_of(c, id);

	if (kind_of(word) == GROWS && moves(c, head, word, to_grow_on(word)))
		return true;
	word = word_of_id(c, id); /* it may have been finished meanwhile */
	if (kind_of(word) != WHOLE || !moves(c, head, word, state_of(DROPPED, 0)))
		return false;
	free_unpinned(c, head);
	return true;
}

/* ---- writing ------------------------------------------------------------------------------- */

/* One block more, behind that one, which has none. count: there are no more. */
static uint32_t link_one(struct chains *c, uint32_t block)
{
	uint32_t next;

	if (!blocks_take(&c->blocks, c->row, &next))
		return c->layout.count;
	set_next(c, next, c->layout.count);
	set_next(c, block, next);
	set_state(c, next, state_of(LINK, 0));
	return next;
}

/* So many blocks at least behind the last one that is written to. */
static bool reserve(struct chains *c, uint32_t block, uint64_t blocks)
{
	uint32_t next;

	for (; blocks; blocks--, block = next) {
		next = next_of(c, block);
		if (next == c->layout.count)
			next = link_one(c, block);
		if (next == c->layout.count)
			return false;
	}
	return true;
}

/* How many blocks so many bytes more take behind the one that is written to: the head of an empty
 * chain, else the one with the last byte, also when it is full. */
static uint64_t blocks_more(const struct chains *c, uint64_t length, uint64_t len)
{
	uint64_t size = c->layout.size, have = length ? (length - 1) / size : 0;

	return len ? (length + len - 1) / size - have : 0;
}

static bool exceeds(const struct chains *c, uint64_t length, uint64_t len)
{
	uint64_t all = (uint64_t)c->layout.count * c->layout.size;

	return len > all || length > all - len;
}

bool chains_begin(struct chains *c, uint64_t room, struct chains_writer *w)
{
	uint32_t head;

	if (exceeds(c, 0, room) || !blocks_take(&c->blocks, c->row, &head))
		return false;
	*w = (struct chains_writer){ .id = id_of(head, load(c, head)), .last = head };
	set_next(c, head, c->layout.count);
	set_last(c, w->id, head);
	atomic_store_explicit(&c->links[head].length, 0, memory_order_release);
	set_state(c, head, state_of(GROWS, c->row));
	if (reserve(c, head, blocks_more(c, 0, room)))
		return true;
	chains_abandon(c, w);
	return false;
}

/* Into blocks that are there. False: somebody has falsified the chain. */
static bool copy(struct chains *c, struct chains_writer *w, const char *bytes, size_t len)
{
	size_t size = c->layout.size, used, piece;

	for (; len; bytes += piece, len -= piece) {
		used = w->length & (size - 1);
		if (!used && w->length && !move_on(c, &w->last))
			return false;
		piece = len < size - used ? len : size - used;
		memcpy(c->bytes + w->last * size + used, bytes, piece);
		w->length += piece;
	}
	return true;
}

bool chains_append(struct chains *c, struct chains_writer *w, const void *bytes, size_t len)
{
	if (exceeds(c, w->length, len) ||
	    !reserve(c, w->last, blocks_more(c, w->length, len)) || !copy(c, w, bytes, len))
		return false;
	set_last(c, w->id, w->last);
	atomic_store_explicit(&c->links[head_of(c, w->id)].length, w->length, memory_order_release);
	return true;
}

void chains_finish(struct chains *c, struct chains_writer *w)
{
	uint32_t head = head_of(c, w->id);

	while (drop_next(c, w->last, c->row))
		;
	if (!moves(c, head, word_of(generation_of(w->id), state_of(GROWS, c->row)), state_of(WHOLE, 0))) {
		set_state(c, head, state_of(DROPPED, 0));
		free_unpinned(c, head);
	}
	*w = (struct chains_writer){ 0 };
}

void chains_abandon(struct chains *c, struct chains_writer *w)
{
	uint32_t head = head_of(c, w->id);

	set_state(c, head, state_of(CUT, 0));
	free_unpinned(c, head);
	*w = (struct chains_writer){ 0 };
}

/* ---- reading ------------------------------------------------------------------------------- */

static _Atomic uint32_t *own_pins(const struct chains *c, uint32_t head)
{
	return &c->pins[(size_t)c->row * c->layout.count + head];
}

static void add(_Atomic uint32_t *own, uint32_t n)
{
	atomic_store_explicit(own, atomic_load_explicit(own, memory_order_relaxed) + n,
			      memory_order_relaxed);
}

/* Whoever drops a chain writes its word, then reads pins; whoever pins it writes the pin, then reads
 * the word: one of the two sees the other. */
static void pin(struct chains *c, uint32_t head)
{
	add(&c->rows[c->row].pins, 1);
	atomic_signal_fence(memory_order_seq_cst);
	add(own_pins(c, head), 1);
	atomic_thread_fence(memory_order_seq_cst);
}

static void unpin(struct chains *c, uint32_t head)
{
	add(own_pins(c, head), (uint32_t)-1);
	atomic_thread_fence(memory_order_seq_cst);
	add(&c->rows[c->row].pins, (uint32_t)-1);
	free_unpinned(c, head);
}

bool chains_pin(struct chains *c, uint64_t id)
{
	uint32_t head = head_of(c, id);
	enum kind kind;

	if (!word_of_id(c, id))
		return false;
	pin(c, head);
	kind = kind_of(word_of_id(c, id));
	if (kind == GROWS || kind == WHOLE)
		return true;
	unpin(c, head);
	return false;
}

void chains_unpin(struct chains *c, uint64_t id)
{
	unpin(c, head_of(c, id));
}

enum chains_state chains_state(const struct chains *c, uint64_t id)
{
	switch (kind_of(word_of_id(c, id))) {
	case GROWS:
	case GROWS_ON:
		return CHAINS_GROWS;
	case WHOLE:
	case DROPPED:
		return CHAINS_WHOLE;
	case CUT:
		return CHAINS_CUT;
	case TAKEN:
	case LINK:
	case GOES:
		break;
	}
	return CHAINS_GONE;
}

uint64_t chains_length(const struct chains *c, uint64_t id)
{
	uint32_t head = head_of(c, id);
	uint64_t length, all = (uint64_t)c->layout.count * c->layout.size;

	if (head == c->layout.count)
		return 0;
	length = atomic_load_explicit(&c->links[head].length, memory_order_acquire);
	return length <= all ? length : 0;
}

void chains_read(struct chains_reader *r, uint64_t id)
{
	*r = (struct chains_reader){ .id = id, .block = (uint32_t)id - 1 };
}

/* The reader is in the block of its next byte, which there is. False: the chain is broken. */
static bool enter(const struct chains *c, struct chains_reader *r)
{
	if (r->at && !(r->at & (c->layout.size - 1)))
		return move_on(c, &r->block);
	return r->block < c->layout.count;
}

struct span chains_piece(const struct chains *c, struct chains_reader *r, size_t most)
{
	uint64_t length = chains_length(c, r->id);
	size_t size = c->layout.size, n;
	struct span piece = { 0 };

	if (length <= r->at || !most || !enter(c, r))
		return piece;
	if (most > length - r->at)
		most = (size_t)(length - r->at);
	n = size - (r->at & (size - 1));
	piece.ptr = c->bytes + r->block * size + (size - n);
	while (n < most && r->block + 1 < c->layout.count && next_of(c, r->block) == r->block + 1) {
		r->block++;
		n += size;
	}
	piece.len = n < most ? n : most;
	r->at += piece.len;
	return piece;
}

/* ---- after a death ------------------------------------------------------------------------- */

static void give_pins_back(struct chains *c, uint32_t row)
{
	_Atomic uint32_t *pins = c->pins + (size_t)row * c->layout.count;
	uint32_t used = blocks_reached(&c->blocks), i;

	if (!atomic_load(&c->rows[row].pins))
		return;
	for (i = 0; i < used; i++)
		if (atomic_load_explicit(&pins[i], memory_order_relaxed))
			atomic_store_explicit(&pins[i], 0, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
	atomic_store(&c->rows[row].pins, 0);
}

/* Of a head that grew: what it has linked, or was about to give back, is a link of it. */
static void complete(struct chains *c, uint32_t head, uint32_t row)
{
	uint32_t block = atomic_load(&c->links[head].last), most = c->layout.count;

	if (block >= c->layout.count)
		block = head;
	while (most-- && (block = next_of(c, block)) != c->layout.count)
		if ((uint32_t)load(c, block) == state_of(TAKEN, row))
			set_state(c, block, state_of(LINK, 0));
}

static void mend_head(struct chains *c, uint32_t head, uint32_t row)
{
	uint32_t state = (uint32_t)load(c, head);

	if (state == state_of(GROWS, row) || state == state_of(GROWS_ON, row)) {
		complete(c, head, row);
		set_state(c, head, state_of(CUT, 0));
	}
	if (state == state_of(GOES, row))
		dissolve(c, head, row);
	free_unpinned(c, head);
}

void chains_mend(struct chains *c, uint32_t row)
{
	uint32_t used = blocks_reached(&c->blocks), i, state;

	BUG_ON(row >= c->layout.rows);
	give_pins_back(c, row);
	for (i = 0; i < used; i++)
		mend_head(c, i, row);
	/* What is in a chain is a link now; what else the row has taken is nobody's. */
	for (i = 0; i < used; i++) {
		state = (uint32_t)load(c, i);
		if (state == state_of(TAKEN, row) ||
		    (state == BLOCK_FREE && !blocks_is_free(&c->blocks, i)))
			blocks_mend(&c->blocks, i, row);
	}
}
