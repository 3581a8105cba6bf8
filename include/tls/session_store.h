/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A region (share/region.h) in which processes find what others have put there: a part for each row
 * of the segment (share/segment.h), written by the owner of the row alone, without locks. A part is
 * a ring of blocks, overwritten from its oldest end, and an index of it. An id names the part it is
 * in (its first two bytes), so that finding it costs two cache lines and a copy, however many
 * processes there are. Knows nothing of TLS.
 */
#ifndef TLS_SESSION_STORE_H
#define TLS_SESSION_STORE_H

#include "base/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct session_store;

enum { SESSION_ID = 32,        /* bytes of an id */
       SESSION_BLOCK = 256,    /* of a block; an entry takes 48 bytes and what is in it */
       SESSION_MOST = 4096 };  /* longer ones are not kept */

/* A store with parts for `rows` rows. All workers of one generation together have room for so many
 * blocks. of: identifies the owner of the rows, so that no store of other rows is attached to; the
 * store is then shared, and handed over to the next image. of NULL: memory of this process alone.
 * NULL and err. */
struct session_store *session_store_new(unsigned rows, unsigned workers, unsigned blocks,
					const uint64_t *of, struct err *err);
/* That of an earlier image. NULL: there is none, or of another layout, size or owner, or of too few
 * rows. */
struct session_store *session_store_attach(unsigned rows, unsigned blocks, uint64_t of);
void session_store_free(struct session_store **store);
/* In a worker: from now on only the part of this row can be written. 0, or -1 and err. */
MUST_USE int session_store_confine(struct session_store *store, unsigned row, struct err *err);

/* Makes an id, its first bytes, so that session_store_put will find its place: the rest is random
 * and the caller's. */
void session_store_mark(unsigned row, unsigned char id[SESSION_ID]);
/* Keeps len bytes under the id, until `expires` (seconds of the wall clock). false: too long. */
MUST_USE bool session_store_put(struct session_store *store, unsigned row, const unsigned char *id,
				const void *bytes, size_t len, int64_t expires);
/* Copies what is kept under the id to `bytes`, which has room for SESSION_MOST. only_row: looks in
 * no other one; -1: wherever it is. Returns the length, 0: nothing, or not any more. */
size_t session_store_get(const struct session_store *store, int only_row, const unsigned char *id,
			 int64_t now, void *bytes);
/* It is not to be found any more; where it is in the part of another row nothing is done. */
void session_store_remove(struct session_store *store, unsigned row, const unsigned char *id);

#endif
