/* SPDX-License-Identifier: BSD-2-Clause */
/* Filling in what fetches and log formats see. For the files of stream/. */
#ifndef STREAM_VIEW_H
#define STREAM_VIEW_H

struct conn;
struct session;
struct view;

/* Of a session that has no stream yet. */
void view_of_session(struct session *session, struct conn *client, struct view *view);

#endif
