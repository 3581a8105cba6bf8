/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys that a stream has noted for stick tables, until it is known which server has served. */
#ifndef STREAM_STICK_KEPT_H
#define STREAM_STICK_KEPT_H

#include "base/result.h"
#include "base/str.h"

#include <stdbool.h>

struct stick_line;

/* At most this many of a stream: the first ones. */
enum { STICKS_MOST = 8 };

struct stick_kept {
	struct stick_kept *next;
	const struct stick_line *line;
	bool of_response;
	size_t len;
	char key[];
};

/* Is there one of that table already? */
MUST_USE bool stick_kept_has(const struct stick_kept *list, const struct stick_line *line,
			     bool of_response);
/* Copies the key, as far as the table holds it. Without memory, or room, nothing is kept. */
void stick_kept_add(struct stick_kept **list, const struct stick_line *line, bool of_response,
		    struct span key);
void stick_kept_free(struct stick_kept **list);

#endif
