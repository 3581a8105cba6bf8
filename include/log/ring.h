/* SPDX-License-Identifier: BSD-2-Clause */
/* A ring: the last messages, kept in memory for `show events` and for servers that they are
 * forwarded to. Writing never waits and never allocates. Manual 3.9. */
#ifndef LOG_RING_H
#define LOG_RING_H

#include "base/list.h"
#include "base/str.h"
#include "config/config.h"
#include "log/header.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

enum { RING_DEFAULT_SIZE = 16384, RING_MIN_SIZE = 1024 };

struct ring {
	struct list node;         /* all rings of the generation */
	const char *name, *description;
	struct location loc;
	enum log_format format;   /* LOG_FMT_RAW by default */
	unsigned max_len;         /* of a message; 0: whatever fits */
	size_t size;              /* of data */
	unsigned connect_ms, server_ms; /* timeouts of the servers; 0: none */
	struct list servers;      /* struct ring_reader.node: these hold the tail back */
	struct list readers;      /* struct ring_reader.node */
	char *data;               /* allocated at start; NULL before */
	uint64_t head, tail;      /* positions, ever growing: next to be written, oldest kept */
	uint64_t written, dropped; /* messages */
	bool implicit;            /* made for a log line with a "tcp@" address */
};

/* Somebody who waits for new messages. */
struct ring_reader {
	struct list node;
	void (*written)(struct ring_reader *reader); /* may only wake a task */
	uint64_t position; /* what is not read yet; only servers hold the ring's tail with it */
};

/* Memory for size bytes. 0, or -1: none. */
int ring_alloc(struct ring *ring);
void ring_release(struct ring *ring);
/* In a process that was just forked: what is in it is the other one's, and so are its readers. */
void ring_empty(struct ring *ring);
/* Adds a message of the n pieces, cut at max_len; makes room by forgetting the oldest ones.
 * False, and counted: it does not fit, or a server has not read the oldest one yet. */
bool ring_write(struct ring *ring, const struct iovec *iov, int n);

/* Reading: a position is where a reader stands. The oldest message, the end. */
static inline uint64_t ring_oldest(const struct ring *ring)
{
	return ring->tail;
}

static inline uint64_t ring_end(const struct ring *ring)
{
	return ring->head;
}

/* Copies the message at *position, cut at size, and moves *position behind it. Returns its
 * length, or -1 when there is none yet. A position that was overwritten meanwhile goes on
 * with the oldest message. */
ssize_t ring_read(const struct ring *ring, uint64_t *position, char *buf, size_t size);

/* Length of the message at position, which must be kept. */
size_t ring_message_len(const struct ring *ring, uint64_t position);

/* reader, the caller's, whose position is set, hears of what is written until ring_unfollow. */
void ring_follow(struct ring *ring, struct ring_reader *reader);
void ring_unfollow(struct ring_reader *reader);

/* Of the running generation, for `show events`: by name, or NULL; all of them in order. */
struct ring *ring_find(const char *name);
struct ring *ring_next(const struct ring *ring); /* NULL: the first; NULL behind the last */

#endif
