/* SPDX-License-Identifier: BSD-2-Clause */
/* May a stream try once more? For the files of stream/ and exchange/ that do. */
#ifndef STREAM_RETRY_H
#define STREAM_RETRY_H

#include "base/result.h"

#include <stdbool.h>

struct stream;

/* The backend's retry-budget allows another try, which counts from now until the stream ends. To be
 * asked last, when all else allows it. True without the word. */
MUST_USE bool retry_allowed(struct stream *s);
/* How often it may try once more in all: by set-retries, else by its backend. */
unsigned retries_of(const struct stream *s);

#endif
