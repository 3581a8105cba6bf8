/* SPDX-License-Identifier: BSD-2-Clause */
/* HTTP sessions between two requests: a connection, and nothing else. */
#ifndef SESSION_KEEPALIVE_H
#define SESSION_KEEPALIVE_H

#include "base/result.h"

#include <stdbool.h>

struct buf;
struct proxy;
struct session;

/* The session waits for its next request (the first one, too) on session->conn; session->held:
 * bytes received of it already, or NULL. */
void keepalive_wait(struct session *session);
/* What seemed to begin one was none: it waits on, no longer than it would have. */
void keepalive_resume(struct session *session);
/* Its timer has fired. */
void keepalive_timer(struct session *session);
/* The process stops. A session that has asked before, and waits for its next request, is closed: at
 * once, or at some moment of the next keepalive_spread_ms. A session that may ask once more (option
 * idle-close-on-response) is not closed. others_serve: a successor has the sockets, and nothing
 * presses. All sessions may then ask once more, so that no request under way is lost. */
void keepalive_finish(bool others_serve);
/* The process stops: is the connection to be closed behind the response that is to leave now? */
MUST_USE bool keepalive_is_over(void);
/* close-spread-time; 0: not given; UINT_MAX: nothing is closed before its time. */
extern unsigned keepalive_spread_ms;
/* Closes all that wait. */
void keepalive_close_all(void);

/* For show profiling. */
extern const struct profile_name keepalive_profile;

#endif
