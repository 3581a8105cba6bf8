/* SPDX-License-Identifier: BSD-2-Clause */
/* Hash tables of the certificate store: certificates by content, entries by name. Called by cert.c
 * and store.c. */
#include "tls/index.h"

#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { INDEX_MIN = 64 };

static struct tls_link **index_slot(const struct tls_index *index, uint64_t key)
{
	return &index->slots[key & (index->size - 1)];
}

static int index_grow(struct tls_index *index)
{
	struct tls_index fresh = { .size = index->size ? index->size * 2 : INDEX_MIN,
				   .count = index->count };
	struct tls_link *link, *next, **slot;
	unsigned i;

	fresh.slots = calloc(fresh.size, sizeof(*fresh.slots));
	if (!fresh.slots)
		return -1;
	for (i = 0; i < index->size; i++) {
		for (link = index->slots[i]; link; link = next) {
			next = link->next;
			slot = index_slot(&fresh, link->key);
			link->next = *slot;
			*slot = link;
		}
	}
	free(index->slots);
	*index = fresh;
	return 0;
}

int tls_index_add(struct tls_index *index, struct tls_link *link, uint64_t key)
{
	struct tls_link **slot;

	if (index->count >= index->size && index_grow(index) < 0 && !index->size)
		return -1; /* a full table works, only slower */
	slot = index_slot(index, key);
	link->key = key;
	link->next = *slot;
	*slot = link;
	index->count++;
	return 0;
}

void tls_index_remove(struct tls_index *index, struct tls_link *link)
{
	struct tls_link **at = index_slot(index, link->key);

	while (*at != link)
		at = &(*at)->next;
	*at = link->next;
	link->next = NULL;
	index->count--;
}

struct tls_link *tls_index_next(const struct tls_link *link)
{
	struct tls_link *at;

	for (at = link->next; at && at->key != link->key; at = at->next)
		;
	return at;
}

struct tls_link *tls_index_first(const struct tls_index *index, uint64_t key)
{
	struct tls_link *at = index->size ? *index_slot(index, key) : NULL;

	return !at || at->key == key ? at : tls_index_next(&(struct tls_link){ at->next, key });
}

void tls_index_clear(struct tls_index *index)
{
	free(index->slots);
	*index = (struct tls_index){ 0 };
}

uint64_t tls_index_key(struct span text)
{
	return XXH64(text.ptr, text.len, 0);
}
