/* SPDX-License-Identifier: BSD-2-Clause */
/* What streams and sessions add to the entries of stick tables that they follow
 * (expr/track.h). Each does nothing where the configuration follows nothing. */
#ifndef STREAM_TRACK_H
#define STREAM_TRACK_H

#include "expr/rule_conf.h"
#include "expr/track.h"
#include "stream/extra.h"
#include "stream/stream.h"

static inline const struct vars *track_stream_vars(const struct stream *s)
{
	return s->extra ? &s->extra->vars : NULL;
}

/* Each is called where tracks_conf.used: a configuration that follows nothing pays a look at
 * that. */
COLD void track_request_now(const struct stream *s);
COLD void track_error_now(const struct stream *s);
COLD void track_failure_now(const struct stream *s);
COLD void track_status_now(const struct stream *s, unsigned status);
COLD void track_bytes(const struct stream *s, uint64_t in, uint64_t out);

/* A request has come, whatever it is. */
static inline void track_request(const struct stream *s)
{
	if (unlikely(tracks_conf.used))
		track_request_now(s);
}

/* The client has made a mistake, or was denied what it wanted. */
static inline void track_error(const struct stream *s)
{
	if (unlikely(tracks_conf.used))
		track_error_now(s);
}

/* The server has. */
static inline void track_failure(const struct stream *s)
{
	if (unlikely(tracks_conf.used))
		track_failure_now(s);
}

/* A server has answered with such a status. */
static inline void track_status(const struct stream *s, unsigned status)
{
	if (unlikely(tracks_conf.used))
		track_status_now(s, status);
}

/* Rules of the session have let it in. */
void track_session(const struct origin *o);

/* track-sc0 and the like, for all lists of rules. */
extern const struct action track_actions[];
extern const struct module track_module;

#endif
