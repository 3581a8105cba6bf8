/* SPDX-License-Identifier: BSD-2-Clause */
/* Subscribers: who is told of the moments of streams (filter/moment.h), and of which streams. How
 * they are told: stream/moments.h. */
#ifndef STREAM_SUBSCRIBER_H
#define STREAM_SUBSCRIBER_H

#include "filter/moment.h"

#include <stdbool.h>
#include <stdint.h>

struct config;
struct proxy;
struct stream;

struct subscriber {
	const char *name;
	unsigned moments; /* AT_MOMENT: all that it may be told */
	/* Which of them, for streams that this proxy is the frontend of, or the backend. Asked once
	 * of each proxy, at the end of the configuration, or of the lines that brought it later.
	 * NULL: none, but by moments_everywhere. */
	unsigned (*wants)(const struct config *cfg, const struct proxy *px, bool is_backend);
	/* The moment is there. It may be told because somebody else wants to know of this stream,
	 * or of another moment of it. So it looks first whether it is meant. Where the stream waits
	 * it is asked again, and those in front of it are not. */
	enum moment_said (*hear)(struct stream *s, enum moment moment);
};

enum { SUBSCRIBERS_MOST = 16 };
/* In the order in which they are told; src/subscribers.c, NULL-terminated. */
extern const struct subscriber *const subscribers[];
/* Who is told of each moment, of some stream at least: places in that list, as bits. */
extern uint32_t subscribers_of[MOMENTS];

/* At which moments somebody wants to hear of streams of this proxy. At the end of the
 * configuration; those are told from then on. */
unsigned moments_of(const struct config *cfg, const struct proxy *px, bool is_backend);
/* This one hears of all streams that begin from now on, at all its moments; or no more. */
void moments_everywhere(const struct subscriber *subscriber, bool on);
/* The moments at which somebody does so. */
extern unsigned moments_of_all;

#endif
