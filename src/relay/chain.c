/* SPDX-License-Identifier: BSD-2-Clause */
/* The chain of filters on a pump (relay/chain.h). The pump calls it when bytes are to pass; it
 * calls the filters. It never receives or sends.
 *
 * Invariants: bytes wait in front of at most one filter more than were held before a run, and in
 * front of the first, in a buffer of tune.bufsize each or, there alone, in a large one; the pump
 * receives nothing while bytes are held, so that they stay in order and are bounded; the last byte
 * is told to a filter once, behind all others. */
#include "relay/chain.h"

#include "base/bug.h"
#include "base/clock.h"
#include "relay/buffer.h"
#include "relay/pump.h"
#include "relay/pump_bytes.h"

#include <string.h>

/* ---- links ------------------------------------------------------------------------------- */

static void bucket_drop(struct pump_chain *chain)
{
	struct pump_filter *f;

	for (f = chain->first; f; f = f->next) {
		buffer_give(&f->held);
		f->last = f->stays = false;
	}
	timer_cancel(&chain->timer);
	chain->holding = 0;
	chain->blocked = false;
}

void chain_leave(struct pump_chain *chain)
{
	bucket_drop(chain);
	chain->pump->chain = NULL;
	chain->pump->odd &= (uint8_t)~ODD_CHAIN;
	chain->first = NULL;
	chain->taken = 0;
	chain->changing = 0;
	chain->sees = chain->holds = chain->heeds = chain->flows = false;
}

/* How many filters change the bytes that leave this one? */
static unsigned filter_changed_behind(const struct pump_filter *f)
{
	unsigned more = 0;

	for (f = f->next; f; f = f->next)
		more += f->ops->changes;
	return more;
}

void chain_link(struct pump_chain *chain, struct pump_filter *filter)
{
	struct pump_filter **at = &chain->first;

	while (*at && (*at)->place <= filter->place)
		at = &(*at)->next;
	filter->next = *at;
	*at = filter;
	if (filter->ops->changes && !chain->changing)
		chain->taken = pump_bytes(chain->pump);
	chain->changing += filter->ops->changes;
	if (filter->ops->changes && !filter_changed_behind(filter))
		chain->heeds = filter->ops->heeds;
	chain->sees |= filter->ops->pass != NULL;
	chain->holds |= filter->ops->holds || filter->ops->allow;
}

void chain_open(struct pump_chain *chain)
{
	struct pump *pump = chain->pump;

	if (!chain->first || !pump->buf || chain->first->held)
		return;
	chain->first->held = pump->buf;
	pump->buf = NULL;
	chain->holding++;
}

/* Bytes wait in front of it, or it stays: holding counts those. */
static void filter_stay(struct pump_chain *chain, struct pump_filter *f, bool stays)
{
	if (stays == f->stays)
		return;
	f->stays = stays;
	if (!f->held)
		chain->holding += stays ? 1 : -1u;
}

/* Has a filter at this place, or behind it, ended the message? */
static bool filter_is_past(const struct pump_chain *chain, const struct pump_filter *f)
{
	return chain->cut && f->place <= chain->cut_place;
}

void chain_ask(struct pump_chain *chain, struct pump_filter *filter)
{
	if (!filter_is_past(chain, filter))
		filter_stay(chain, filter, true);
}

void chain_renew(struct pump_chain *chain)
{
	bucket_drop(chain);
	chain->ended = chain->cut = false;
	chain->taken = 0;
}

/* ---- limits ------------------------------------------------------------------------------ */

static void chain_block(struct pump_chain *chain, uint64_t when_ms)
{
	if (when_ms <= clock_now_ms)
		when_ms = clock_now_ms + 1;
	chain->blocked = true;
	if (!timer_armed(&chain->timer) || chain->timer.when != when_ms)
		timer_set(&chain->timer, when_ms);
}

static uint64_t filter_allows(struct pump_chain *chain, struct pump_filter *f, uint64_t wanted)
{
	uint64_t when_ms = 0, n;

	if (!f->ops->allow)
		return UINT64_MAX;
	n = f->ops->allow(f, wanted, &when_ms);
	if (!n)
		chain_block(chain, when_ms);
	return n;
}

/* Behind a filter that changes bytes nobody knows how many there will be; what is too much then is
 * held. */
uint64_t chain_allows(struct pump_chain *chain, uint64_t wanted)
{
	uint64_t most = UINT64_MAX, n;
	struct pump_filter *f;
	bool same = true;

	chain->blocked = false;
	for (f = chain->first; f; f = f->next) {
		n = filter_allows(chain, f, same ? wanted : UINT64_MAX);
		if (!n)
			return 0;
		if (same && n < most)
			most = n;
		same &= !f->ops->changes;
	}
	return most;
}

void chain_passed(struct pump_chain *chain, uint64_t bytes)
{
	struct pump_filter *f;

	for (f = chain->first; f; f = f->next)
		if (f->ops->passed)
			f->ops->passed(f, bytes);
}

/* ---- bytes -------------------------------------------------------------------------------- */

/* What is held has to fit into a buffer, and each change may double it. */
size_t chain_most(const struct pump_chain *chain)
{
	size_t most = 2 * FILTER_MOST;
	unsigned i;

	if (chain->holds && most > buffer_size())
		most = buffer_size();

	for (i = 0; i < chain->changing; i++)
		most /= 2;
	return most ? most : 1;
}

/* How often may what leaves the chain be twice what is given to it? What a filter that heeds has no
 * room for it keeps. */
static unsigned chain_growth(const struct pump_chain *chain)
{
	return chain->heeds ? 0 : chain->changing;
}

/* Who holds bytes back will do so again: it is given one piece at a time. */
size_t chain_room(const struct pump_chain *chain, const struct buf *out)
{
	size_t most = chain_most(chain), room = buf_room(out) >> chain_growth(chain);

	if (room < most)
		return 0;
	return chain->flows ? room : most;
}

/* Is there room for what comes of a piece of len bytes? A small one may make more than twice its
 * bytes: the last words of a coding. */
static bool chain_has_room(const struct pump_chain *chain, const struct buf *out, size_t len)
{
	unsigned growth = chain_growth(chain);

	return buf_room(out) >> growth >= (growth ? chain_most(chain) : len);
}

void chain_promise(struct pump_chain *chain, uint64_t bytes)
{
	chain->measured = bytes != UINT64_MAX;
	chain->misfits = chain->bare = false;
	chain->due = bytes;
}

void chain_promise_none(struct pump_chain *chain)
{
	chain_promise(chain, UINT64_MAX);
	chain->bare = true;
}

/* Are these bytes as many as the sink was told of? */
static bool chain_fits(struct pump_chain *chain, size_t len, bool last)
{
	if (!chain->measured)
		return true;
	chain->misfits |= len > chain->due || (last && len < chain->due);
	if (!chain->misfits)
		chain->due -= len;
	return !chain->misfits;
}

static bool chain_out(struct pump_chain *chain, const char *bytes, size_t len, bool last,
		      struct buf *out)
{
	if (chain->bare)
		len = 0;
	if (!chain_fits(chain, len, last))
		return false;
	if (len && bytes != buf_tail(out))
		memmove(buf_tail(out), bytes, len);
	out->len += (uint32_t)len;
	chain->ended = last;
	return true;
}

static bool filter_keep(struct pump_chain *chain, struct pump_filter *f, const char *bytes,
			size_t len, bool last)
{
	BUG_ON(f->held);
	f->held = len > buffer_size() ? buffer_take_large() : buffer_take();
	if (!f->held || buf_room(f->held) < len)
		return false;
	memcpy(buf_tail(f->held), bytes, len);
	f->held->len += (uint32_t)len;
	f->last = last;
	if (!f->stays)
		chain->holding++;
	return true;
}

/* Where a filter that changes bytes writes: behind those in out, if no other one changes them, for
 * which they go to one of two places in turn. Those behind it hold no more than what is promised of
 * a piece. */
static void filter_room(const struct pump_chain *chain, const struct pump_filter *f, struct buf *out,
			struct filter_piece *piece)
{
	static char between[2][2 * FILTER_MOST];
	unsigned more = filter_changed_behind(f);
	size_t most = 2 * chain_most(chain);

	piece->out = more ? between[more & 1] : buf_tail(out);
	piece->room = more ? sizeof(between[0]) : buf_room(out);
	if (f->ops->heeds && f->next && piece->room > most)
		piece->room = most;
}

static void chain_cut(struct pump_chain *chain, const struct pump_filter *at)
{
	struct pump_filter *f;

	for (f = chain->first; f != at->next; f = f->next) {
		filter_stay(chain, f, false);
		if (f->held)
			chain->holding--;
		buffer_give(&f->held);
	}
	chain->cut = true;
	chain->cut_place = at->place;
	chain->pump->flags |= PUMP_EOF;
}

static bool filter_give(struct pump_chain *chain, struct pump_filter *f, const char *bytes,
			size_t len, bool last, struct buf *out);

/* Has the filter take what it may and will, *taken of it, and gives what comes of that to the
 * next. */
static bool filter_pass(struct pump_chain *chain, struct pump_filter *f, const char *bytes,
			size_t len, bool last, struct buf *out, size_t *taken)
{
	uint64_t allowed = len ? filter_allows(chain, f, len) : 0;
	struct filter_piece piece = { .bytes = bytes, .last = last, .len = len };
	bool all;

	if (allowed < len) {
		piece.len = (size_t)allowed;
		piece.last = false;
	}
	*taken = 0;
	if (len && !piece.len)
		return true;
	filter_stay(chain, f, false);
	piece.taken = piece.made = f->ops->pass ? 0 : piece.len;
	if (f->ops->changes)
		filter_room(chain, f, out, &piece);
	if (f->ops->pass && !f->ops->pass(f, &piece))
		return false;
	if (!f->ops->changes)
		piece.made = piece.taken;
	if (f->ops->passed)
		f->ops->passed(f, piece.taken);
	filter_stay(chain, f, piece.stays && !piece.ends);
	if (piece.len < len || ((piece.taken < piece.len || piece.stays) && !piece.waits))
		task_wake(&pump_relay(chain->pump)->task);
	*taken = piece.taken;
	if (f == chain->first)
		chain->taken += piece.taken;
	all = piece.last && piece.taken == piece.len;
	if (all)
		f->last = piece.stays;
	if (!filter_give(chain, f->next, piece.out ? piece.out : bytes, piece.made,
			 (all && !piece.stays) || piece.ends, out))
		return false;
	if (piece.ends)
		chain_cut(chain, f);
	return true;
}

static bool filter_give(struct pump_chain *chain, struct pump_filter *f, const char *bytes,
			size_t len, bool last, struct buf *out)
{
	size_t taken;

	if (!len && !last)
		return true;
	if (!f)
		return chain_out(chain, bytes, len, last, out);
	if (!filter_pass(chain, f, bytes, len, last, out, &taken))
		return false;
	return taken == len || filter_is_past(chain, f) ||
	       filter_keep(chain, f, bytes + taken, len - taken, last);
}

bool chain_give(struct pump_chain *chain, const char *bytes, size_t len, bool last, struct buf *out)
{
	size_t most = chain_most(chain), n, taken;

	if (!len && !last)
		return true;
	do {
		n = len < most ? len : most;
		if (!filter_pass(chain, chain->first, bytes, n, last && n == len, out, &taken))
			return false;
		bytes += taken;
		len -= taken;
	} while (len && taken == n && !chain->holding && !chain->cut &&
		 chain_has_room(chain, out, len < most ? len : most));
	chain->flows = !len && !chain->holding;
	return !len || chain->cut || filter_keep(chain, chain->first, bytes, len, last);
}

/* Takes the bytes that have passed out of what waits in front of the filter. */
static void filter_skip(struct pump_chain *chain, struct pump_filter *f, size_t taken)
{
	buf_skip(f->held, taken);
	if (f->held->len)
		return;
	buffer_give(&f->held);
	if (!f->stays)
		chain->holding--;
}

bool chain_drain(struct pump_chain *chain, struct buf *out)
{
	struct pump_filter *f, *at = NULL;
	const char *bytes = NULL;
	size_t taken, len = 0;
	bool all = true;

	for (f = chain->first; f; f = f->next)
		if (f->held || f->stays)
			at = f;
	if (!at)
		return true;
	if (at->held) {
		bytes = buf_first(at->held);
		len = at->held->len;
		if (len > chain_most(chain))
			len = chain_most(chain);
		all = len == at->held->len;
	}
	chain->blocked = false;
	if (!filter_pass(chain, at, bytes, len, at->last && all, out, &taken))
		return false;
	if (at->held) /* it has not ended the message, nor has a filter behind it */
		filter_skip(chain, at, taken);
	if (taken && at->held) /* it may take more, though nothing has come out of it */
		task_wake(&pump_relay(chain->pump)->task);
	return true;
}
