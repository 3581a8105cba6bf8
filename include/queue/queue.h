/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams waiting for a slot: of one server (persistence, or it was chosen and is full), or of
 * any server of a backend. In order of priority and arrival. Implemented in src/queue/queue.c. */
#ifndef QUEUE_QUEUE_H
#define QUEUE_QUEUE_H

#include "base/list.h"
#include "queue/slot.h"

#include <stdbool.h>
#include <stdint.h>

struct module;
struct proxy;
struct server;

extern const struct module queue_module; /* start: queue_follow_servers */
/* From now on queues hear of servers that come up, go down, or have more room. */
void queue_follow_servers(void);

/* Lives in the waiting stream's extra memory; zeroed: not queued. */
struct queue_entry {
	struct list node;
	struct proxy *proxy;   /* NULL: not queued */
	struct server *server; /* whose slot; NULL: any of the proxy */
	/* Who is served first: the lower class, then the one that came earlier, moved by offset_ms,
	 * then ticket. By the stream, before it joins. */
	int priority_class, offset_ms;
	uint64_t due_ms;       /* when it came, and the offset */
	uint64_t ticket;       /* order of arrival in the proxy */
	uint64_t joined;       /* how many that queue had served when it came */
	unsigned turn_server, turn_backend; /* when it has left: how many that queue had served
					     * meanwhile, itself included; 0: it was not there */
	/* It was taken out of the queue because server has a slot for it, which was taken for it
	 * (slot_take); server NULL: there is none, it is to look for another. */
	void (*offered)(struct queue_entry *entry, struct server *server);
};

/* Puts it where its priority says and counts (gauges, maxima of counters). server NULL: waits for
 * any. */
void queue_join(struct queue_entry *entry, struct proxy *proxy, struct server *server);
/* Takes it out, if it is in, and notes its turn. */
void queue_leave(struct queue_entry *entry);
/* Is its own queue full (maxqueue)? */
bool server_queue_full(const struct server *server);
/* The server may have room, or has come up: offers slots to those waiting for it and for any
 * server of its proxy, best first, while there is room and it is usable. Where somebody in another
 * process comes first, that one is woken instead. Returns how many were offered. */
unsigned queue_serve(struct server *server);
/* Does anybody wait in another process for a slot of this server? Then the first one is woken. */
bool queue_others_wait(const struct server *server);
/* Serves all queues of this process that may be served. */
void queues_look(void);
/* This process has something that others may wait for: it hears when it is to look. */
void queue_watch(void);
/* The server is gone: those waiting for it are offered to any other (offered with NULL).
 * Returns how many. */
unsigned queue_flush(struct server *server);

#endif
