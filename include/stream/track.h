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

static inline void stream_track(const struct stream *s, enum stick_data what, enum stick_data rate,
				uint64_t by)
{
	if (unlikely(tracks_used))
		track_add(s->origin->session_vars, track_stream_vars(s), what, rate, by);
}

/* A request has come, whatever it is. */
static inline void track_request(const struct stream *s)
{
	stream_track(s, STICK_http_req_cnt, STICK_http_req_rate, 1);
}

/* The client has made a mistake, or was denied what it wanted. */
static inline void track_error(const struct stream *s)
{
	stream_track(s, STICK_http_err_cnt, STICK_http_err_rate, 1);
}

/* The server has. */
static inline void track_failure(const struct stream *s)
{
	stream_track(s, STICK_http_fail_cnt, STICK_http_fail_rate, 1);
}

/* A server has answered. */
void track_status(const struct stream *s, unsigned status);
/* Rules of the session have let it in. */
void track_session(const struct origin *o);

/* track-sc0 and the like, for all lists of rules. */
extern const struct action track_actions[];
extern const struct module track_module;

#endif
