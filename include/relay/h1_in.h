/* SPDX-License-Identifier: BSD-2-Clause */
/* What the receiving half of an HTTP/1 end (h1_in.c) gives the other (h1_end.c): operations of
 * end_ops, and its state. Nobody else includes it. */
#ifndef RELAY_H1_IN_H
#define RELAY_H1_IN_H

#include "relay/h1_end.h"

static inline struct h1_end *h1_state(const struct end *end)
{
	return container_of(end->framing, struct h1_end, framing);
}

/* Contracts: relay/end.h. */
enum io h1_head_in(struct end *end, struct message *msg);
enum io h1_body_in(struct end *end);
enum io h1_recv(struct end *end, void *buf, size_t size, size_t *got);
bool h1_held(struct end *end, struct span *bytes, bool *last);
void h1_give(struct end *end, size_t n);
enum io h1_splice_in(struct end *end, struct pipe *pipe, size_t max, size_t *got);
/* in was filled or emptied: the connection's flag says so. */
void h1_note_held(struct end *end, struct h1_end *h1);

#endif
