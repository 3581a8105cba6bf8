/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages, with or without one descriptor, between parent and worker: a Unix stream socket, frames
 * of any length, never waiting. A frame is never lost or reordered while both live. */
#ifndef PROCESS_CHANNEL_H
#define PROCESS_CHANNEL_H

#include <stddef.h>
#include <stdint.h>

struct channel;

/* messages.def-like list in process/channel.c's users: what a frame is about. */
struct frame {
	uint32_t kind;
	uint32_t id;       /* request and answer carry the same */
	const void *bytes; /* valid during the call */
	size_t len;
	int fd;            /* -1: none; the receiver takes it over by setting it to -1 */
};

/* Two connected descriptors, non-blocking, close-on-exec. 0, or -1 with errno. */
int channel_pair(int fds[2]);
/* Watches fd (takes it over). got: for each frame; gone: the peer has ended or broke the rules
 * (the channel may be freed in it). NULL: out of memory or poller full. */
struct channel *channel_new(int fd, void (*got)(struct channel *c, struct frame *frame, void *arg),
			    void (*gone)(struct channel *c, void *arg), void *arg);
void channel_free(struct channel **c);
/* Queues; sends what can be sent. fd stays the caller's. 0, or -1: out of memory. */
int channel_send(struct channel *c, uint32_t kind, uint32_t id, const void *bytes, size_t len, int fd);
/* Bytes that wait for the peer: large for one that hangs. */
size_t channel_backlog(const struct channel *c);
/* To keep it through re-execution: all that was sent has left, nothing half is read? */
int channel_fd(const struct channel *c);

#endif
