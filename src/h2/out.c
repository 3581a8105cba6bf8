/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What leaves a connection of HTTP/2 (h2/stream.h). Frames are put together in one piece of
 * memory, which leaves at the end of the turn: answers to many streams leave at once. Where there
 * is no memory for them, or the socket fails, the connection is dead.
 */
#include "h2/stream.h"

#include "base/memory.h"
#include "net/conn.h"

/* Memory to put frames together in. As a rule it is lent for a turn, so some pieces stay here. */
enum { DESK_SIZE = 16384, DESKS = 32 };
static char *desks[DESKS];
static unsigned desk_count;

void h2_desk_take(struct h2_bytes *b)
{
	b->data = desk_count ? desks[--desk_count] : memory_take(DESK_SIZE);
	b->size = b->data ? DESK_SIZE : 0;
}

void h2_desk_give(struct h2_bytes *b)
{
	if (b->size == DESK_SIZE && desk_count < DESKS) {
		desks[desk_count++] = b->data;
		b->data = NULL;
	}
	h2_bytes_free(b);
}

void h2_over(struct h2_conn *c)
{
	if (c->over)
		return;
	c->over = true;
	if (c->ops->room)
		c->ops->room(c->owner);
}

void h2_dead(struct h2_conn *c)
{
	if (c->state == H2_DEAD)
		return;
	c->state = H2_DEAD;
	c->last_stream = 0; /* what waited goes */
	c->totals->connections--;
	c->counts->open_connections--;
	timer_cancel(&c->timer);
	timer_cancel(&c->linger);
	h2_window_end(c);
	h2_over(c);
	h2_desk_give(&c->out);
	task_wake(&c->task);
}

char *h2_out(struct h2_conn *c, size_t n)
{
	if (c->state == H2_DEAD)
		return NULL;
	c->last_stream = 0;
	if (!c->out.data)
		h2_desk_take(&c->out);
	if (h2_bytes_room(&c->out, n))
		return h2_bytes_tail(&c->out);
	h2_dead(c);
	return NULL;
}

void h2_out_skip(struct h2_conn *c, size_t n)
{
	c->out.head += (uint32_t)n;
	c->out.len -= (uint32_t)n;
	if (!c->out.len)
		h2_desk_give(&c->out);
}

void h2_out_rests(struct h2_conn *c)
{
	struct h2_bytes rest = { 0 };

	if (c->out.size != DESK_SIZE || c->out.len > DESK_SIZE / 4 ||
	    !h2_bytes_add(&rest, h2_bytes_first(&c->out), c->out.len))
		return;
	c->last_stream = 0;
	h2_desk_give(&c->out);
	c->out = rest;
}

void h2_out_done(struct h2_conn *c, const char *end)
{
	c->out.len = (uint32_t)(end - h2_bytes_first(&c->out));
	task_wake(&c->task);
}

void h2_flush(struct h2_conn *c)
{
	size_t sent;
	enum io r;

	while (c->conn && c->out.len && c->conn->flags & CONN_WRITABLE) {
		r = conn_send(c->conn, h2_bytes_first(&c->out), c->out.len, false, &sent);
		if (r == IO_AGAIN)
			return;
		if (r != IO_OK) {
			h2_dead(c);
			return;
		}
		c->last_stream = 0;
		c->unacked = false;
		h2_out_skip(c, sent);
	}
}
