/* SPDX-License-Identifier: BSD-2-Clause */
/* From a backend to one of its servers, or into a queue. For the files of stream/. */
#ifndef STREAM_ASSIGN_H
#define STREAM_ASSIGN_H

struct proxy;
struct queue_entry;
struct server;
struct stream;

/* The stream ends: takes it out of the queue in which it may be, before it is logged. */
void assign_leave_queue(struct stream *s);

/* The stream belongs to the backend from now on: counted there. */
void assign_backend(struct stream *s, struct proxy *backend);
/* Steps REQ_ASSIGN and REQ_QUEUE. */
int assign_server(struct stream *s);
int assign_wait(struct stream *s);
/* A queue has a slot for it. */
void assign_offered(struct queue_entry *entry, struct server *server);
/* The server failed: gives its slot back; another one is to be chosen. */
void assign_redispatch(struct stream *s);
/* Gives server and backend back, at the stream's end. */
void assign_release(struct stream *s);

#endif
