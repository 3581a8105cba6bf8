/* SPDX-License-Identifier: BSD-2-Clause */
/* Filling in what fetches and log formats see. For the files of stream/. */
#ifndef STREAM_VIEW_H
#define STREAM_VIEW_H

struct conn;
struct session;
struct stream;
struct view;
struct view_log;

/* Of a session that has no stream yet. */
void view_of_session(struct session *session, struct conn *client, struct view *view);
/* The numbers alone: for texts that mention some of them before anything is logged. */
void view_fill_log(const struct stream *s, struct view_log *log);
/* At the end of a stream: its times into the means of server and backend, if it reached one. */
void stream_count_times(const struct stream *s);

#endif
