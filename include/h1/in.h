/* SPDX-License-Identifier: BSD-2-Clause */
/* What the receiving half of an HTTP/1 end (in.c) gives the other (end.c): operations of
 * end_ops, and its state. Nobody else includes it. */
#ifndef H1_IN_H
#define H1_IN_H

#include "base/result.h"
#include "h1/end.h"

static inline struct h1_end *h1_state(const struct end *end)
{
	return container_of(end->framing, struct h1_end, framing);
}

/* Contracts: relay/end.h, relay/message_end.h. */
MUST_USE enum io h1_head_in(struct end *end, struct message *msg);
MUST_USE enum io h1_body_in(struct end *end);
MUST_USE enum io h1_recv(struct end *end, void *buf, size_t size, size_t *got);
MUST_USE bool h1_held(struct end *end, struct span *bytes, enum held_next *next);
void h1_give(struct end *end, size_t n);
MUST_USE enum io h1_splice_in(struct end *end, struct pipe *pipe, size_t max, size_t *got);
struct span h1_body(const struct end *end, bool *final);
struct span h1_message(const struct end *end, struct span body);
size_t h1_received(const struct end *end);
unsigned h1_wrong(const struct end *end);
COLD void h1_refuse(struct end *end, const struct message_error *error);
MUST_USE bool h1_whole(const struct end *end);
uint64_t h1_left(const struct end *end);
MUST_USE bool h1_drain(struct end *end, size_t *most);
MUST_USE bool h1_mark(struct end *end);
void h1_rewind(struct end *end);
void h1_decode(struct end *end);
void h1_drop_trailers(struct end *end);
struct span h1_trailers(const struct end *end);
void h1_tunnel(struct end *end);
/* in was filled or emptied: the connection's flag says so. */
void h1_note_held(struct end *end, struct h1_end *h1);

/* A buffer; NULL: no memory, which the arena of the exchange remembers. */
struct buf *h1_buffer(struct h1_end *h1);

#endif
