/* SPDX-License-Identifier: BSD-2-Clause */
/* Mark and TOS field that rules want of packets to the server. For the files of stream/ and
 * exchange/. */
#ifndef STREAM_PACKETS_H
#define STREAM_PACKETS_H

#include "base/result.h"
#include "proxy/server_dial.h"
#include "stream/stream.h"

#include <stdint.h>

/* False: none were set. */
MUST_USE bool packets_of(const struct stream *s, struct dial_packets *packets);
/* A number of what was set, 0 where nothing was: connections with the same one may be used. */
uint64_t packets_key_set(const struct stream *s);
static inline uint64_t packets_key(const struct stream *s)
{
	return likely(!s->extra) ? 0 : packets_key_set(s);
}

#endif
