/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory of a ring: messages one behind the other, each with its length in front, in a
 * buffer that wraps around. Positions only grow, so a reader that was overtaken notices by
 * comparing numbers. Called by log.c (write), the stats socket and ring_server.c (read).
 *
 * Invariants: tail <= head <= tail + size; both stand at the start of a message.
 */
#include "log/ring.h"

#include "base/bug.h"

#include <stdlib.h>

enum { RING_PREFIX = 4 }; /* bytes of a message's length */

int ring_alloc(struct ring *ring)
{
	ring->data = malloc(ring->size);
	return ring->data ? 0 : -1;
}

void ring_release(struct ring *ring)
{
	free(ring->data);
	ring->data = NULL;
	ring->head = ring->tail = 0;
}

void ring_empty(struct ring *ring)
{
	ring->tail = ring->head;
	ring->written = ring->dropped = 0;
	list_init(&ring->readers);
}

static void ring_put(struct ring *ring, uint64_t at, const void *bytes, size_t len)
{
	size_t offset = at % ring->size, first = ring->size - offset;

	if (first > len)
		first = len;
	memcpy(ring->data + offset, bytes, first);
	memcpy(ring->data, (const char *)bytes + first, len - first);
}

static void ring_get(const struct ring *ring, uint64_t at, void *bytes, size_t len)
{
	size_t offset = at % ring->size, first = ring->size - offset;

	if (first > len)
		first = len;
	memcpy(bytes, ring->data + offset, first);
	memcpy((char *)bytes + first, ring->data, len - first);
}

size_t ring_message_len(const struct ring *ring, uint64_t position)
{
	uint32_t len;

	ring_get(ring, position, &len, sizeof(len));
	return len;
}

/* The oldest message that some server still has to send. */
static uint64_t ring_held(const struct ring *ring)
{
	const struct ring_reader *server;
	uint64_t held = UINT64_MAX;

	list_for_each(server, &ring->servers, node)
		if (server->position < held)
			held = server->position;
	return held;
}

static bool ring_make_room(struct ring *ring, size_t need)
{
	uint64_t held;

	if (need > ring->size)
		return false;
	if (ring->head + need <= ring->tail + ring->size)
		return true;
	held = ring_held(ring);
	while (ring->head + need > ring->tail + ring->size) {
		if (ring->tail >= held)
			return false;
		ring->tail += RING_PREFIX + ring_message_len(ring, ring->tail);
	}
	return true;
}

static void ring_notify(struct ring *ring)
{
	struct ring_reader *reader, *tmp;

	list_for_each(reader, &ring->servers, node)
		if (reader->written) /* not yet, before it was started */
			reader->written(reader);
	list_for_each_safe(reader, tmp, &ring->readers, node)
		reader->written(reader);
}

bool ring_write(struct ring *ring, const struct iovec *iov, int n)
{
	size_t len = 0;
	uint32_t prefix;
	uint64_t at;
	int i;

	for (i = 0; i < n; i++)
		len += iov[i].iov_len;
	if (ring->max_len && len > ring->max_len)
		len = ring->max_len;
	if (!ring->data || !ring_make_room(ring, RING_PREFIX + len)) {
		ring->dropped++;
		return false;
	}
	prefix = (uint32_t)len;
	ring_put(ring, ring->head, &prefix, sizeof(prefix));
	at = ring->head + RING_PREFIX;
	ring->head = at + len;
	for (i = 0; len; i++) {
		size_t part = iov[i].iov_len < len ? iov[i].iov_len : len;

		ring_put(ring, at, iov[i].iov_base, part);
		at += part;
		len -= part;
	}
	ring->written++;
	ring_notify(ring);
	return true;
}

ssize_t ring_read(const struct ring *ring, uint64_t *position, char *buf, size_t size)
{
	size_t len;

	if (*position < ring->tail || *position > ring->head)
		*position = ring->tail;
	if (*position == ring->head)
		return -1;
	len = ring_message_len(ring, *position);
	ring_get(ring, *position + RING_PREFIX, buf, len < size ? len : size);
	*position += RING_PREFIX + len;
	return (ssize_t)(len < size ? len : size);
}

void ring_follow(struct ring *ring, struct ring_reader *reader)
{
	list_append(&ring->readers, &reader->node);
}

void ring_unfollow(struct ring_reader *reader)
{
	list_remove(&reader->node);
}
