/* SPDX-License-Identifier: BSD-2-Clause */
/* Pipes, and the pool of them. A pipe belongs to a pump only while bytes sit in it. */
#ifndef RELAY_PIPE_H
#define RELAY_PIPE_H

#include "base/io.h"
#include "base/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct conn;

struct pipe {
	struct pipe *next; /* in the pool */
	int read_fd, write_fd;
	size_t size; /* bytes that fit, as the kernel said */
	size_t held; /* bytes inside */
};

/* Shown by "show info". */
struct pipe_stats {
	unsigned max;        /* maxpipes in force */
	unsigned used, free; /* handed out; waiting in the pool */
	unsigned high_water; /* most handed out at once */
	uint64_t taken;      /* times that one was handed out */
	uint64_t none;       /* times that there was none: copied instead */
	uint64_t dirty;      /* given back with bytes left behind: emptied, or closed */
	uint64_t failed;     /* the system refused a new one, or gave one too small */
	size_t size;         /* of the newest, as read back from the system */
};
extern struct pipe_stats pipe_stats;

/* max: maxpipes (0: none); size: tune.pipesize in bytes (0: 1 MiB); opens a first few of
 * them. What the system refuses is not an error. */
void pipes_init(unsigned max, size_t size);
void pipes_free(void);
/* May there be any at all (maxpipes, nosplice)? */
static inline bool pipes_wanted(void)
{
	return pipe_stats.max > 0;
}

/* An empty pipe, the one used last first; NULL: none (counted in pipe_stats.none). */
struct pipe *pipe_take(void);
/* Back into the pool; what bytes are left in it are thrown away. NULL is allowed; clears the
 * caller's pointer. */
void pipe_give(struct pipe **pipe);

/* Moves at most max bytes from the socket into the pipe. IO_OK: *got. IO_AGAIN: no data, or
 * no room: the kernel does not say which. IO_EOF: the kernel returned 0. IO_ERR: errno. */
MUST_USE enum io pipe_pull(struct pipe *pipe, const struct conn *conn, size_t max, size_t *got);
/* Moves what is in the pipe into the socket. more: others follow at once. */
MUST_USE enum io pipe_push(struct pipe *pipe, const struct conn *conn, bool more, size_t *sent);
/* Copies bytes out of the pipe into memory, for sockets that refuse splice. */
MUST_USE enum io pipe_read(struct pipe *pipe, void *buf, size_t size, size_t *got);

#endif
