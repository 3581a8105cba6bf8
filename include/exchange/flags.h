/* SPDX-License-Identifier: BSD-2-Clause */
/* Which flags of an exchange can be together: exchange/flags.def. For stream_kind.flags_hold. */
#ifndef EXCHANGE_FLAGS_H
#define EXCHANGE_FLAGS_H

#include "event/probe.h"

#include <stddef.h>

struct stream;

#ifdef PROBES
void exchange_flags_hold(const struct stream *s);
#else
#define exchange_flags_hold NULL
#endif

#endif
