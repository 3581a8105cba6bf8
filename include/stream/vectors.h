/* SPDX-License-Identifier: BSD-2-Clause */
/* What a PROXY header of version 2 has told besides addresses, kept with the session. For the files
 * of stream/; who reads it: origin_vectors (stream/stream.h). */
#ifndef STREAM_VECTORS_H
#define STREAM_VECTORS_H

#include "base/str.h"

struct origin;
struct told;

/* Keeps a copy, if the configuration asks for such things. Without memory: nothing was told. */
void vectors_keep(struct origin *origin, struct span vectors);
void vectors_drop(struct told *told);

#endif
