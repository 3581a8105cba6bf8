/* SPDX-License-Identifier: BSD-2-Clause */
/* Filling in what fetches and log formats see. For the files of stream/. */
#ifndef STREAM_VIEW_H
#define STREAM_VIEW_H

#include "net/link.h"

struct origin;
struct stream;
struct view;
struct view_log;

/* Of a client that has no stream yet. */
void view_of_origin(struct origin *origin, struct link client, struct view *view);
/* Where the view finds the addresses of the connection: they move when the session gets others. */
void view_own_addrs(const struct origin *origin, struct view *view);
/* The numbers alone: for texts that mention some of them before anything is logged. */
void view_fill_log(const struct stream *s, struct view_log *log);
/* At the end of a stream: its times into the means of server and backend, if it reached one. */
void stream_count_times(const struct stream *s);

#endif
