/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages, with or without one descriptor, between parent and worker: a Unix stream socket, frames
 * of any length, never waiting. A frame is never lost or reordered while both live. */
#ifndef PROCESS_CHANNEL_H
#define PROCESS_CHANNEL_H

#include <stddef.h>
#include <stdint.h>

struct channel;

/* Longest frame that is taken: longer ones break the rules. */
enum { CHANNEL_FRAME_MAX = 64 << 20 };

/* What a frame is about: enum message in process/messages.h. */
struct frame {
	uint32_t kind;
	uint32_t id;       /* request and answer carry the same */
	const void *bytes; /* valid during the call; a zero follows them */
	size_t len;
	int fd;            /* -1: none; the receiver takes it over by setting it to -1 */
};

/* Two connected descriptors, non-blocking, close-on-exec. 0, or -1 with errno. */
int channel_pair(int fds[2]);
/* Watches fd (takes it over). got: for each frame, in order; gone: the peer has ended or broke
 * the rules, once, after all frames that it sent whole. In both the channel may be freed, and
 * frames may be sent. NULL: out of memory or poller full (fd is closed then). */
struct channel *channel_new(int fd, void (*got)(struct channel *c, struct frame *frame, void *arg),
			    void (*gone)(struct channel *c, void *arg), void *arg);
/* Closes. What waits to be sent is lost. */
void channel_free(struct channel **c);
/* Queues; sends what can be sent. fd stays the caller's; -1: none. 0, or -1 with errno: out of
 * memory or descriptors, or EPIPE: the peer has gone (gone is called later, not from here). */
int channel_send(struct channel *c, uint32_t kind, uint32_t id, const void *bytes, size_t len,
		 int fd);
/* Bytes that wait for the peer: large for one that hangs. */
size_t channel_backlog(const struct channel *c);
/* Descriptors that wait with them; each is one of this process. */
unsigned channel_waiting_fds(const struct channel *c);
/* In a child that was just forked: closes the descriptor and frees without touching the poller,
 * which is the other process's. */
void channel_drop(struct channel **c);

#endif
