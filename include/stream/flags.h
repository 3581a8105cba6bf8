/* SPDX-License-Identifier: BSD-2-Clause */
/* Which flags of a stream can be together is said in stream/flags.def, and in exchange/flags.def
 * for what it carries. Builds with the sanitizers assert it behind each step; others have none of
 * it. */
#ifndef STREAM_FLAGS_H
#define STREAM_FLAGS_H

#include "event/probe.h"

struct stream;

#ifdef PROBES
void stream_flags_hold(const struct stream *s);
#else
#define stream_flags_hold(s) ((void)(s))
#endif

#endif
