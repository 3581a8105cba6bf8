/* SPDX-License-Identifier: BSD-2-Clause */
/* The place that a stream has at its backend, in a queue, at a server: taken and given back. Which
 * server it is, stream/assign.h says. For the files of stream/. */
#ifndef STREAM_PLACE_H
#define STREAM_PLACE_H

struct proxy;
struct queue_entry;
struct server;
struct stream;

/* The stream belongs to the backend from now on: counted there. */
void place_backend(struct stream *s, struct proxy *backend);
/* A slot of the server was claimed for it: it belongs to the server from now on. */
void place_taken(struct stream *s, struct server *server);
/* A queue has a slot for it: queue_entry.offered of those who join one. */
void place_offered(struct queue_entry *entry, struct server *server);
/* The stream ends: takes it out of the queue in which it may be, before it is logged. */
void place_leave_queue(struct stream *s);
/* The server failed: gives its slot back; another one is to be chosen. */
void place_redispatch(struct stream *s);
/* Gives server and backend back, at the stream's end. */
void place_release(struct stream *s);

#endif
