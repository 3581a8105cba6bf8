/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes of a head, for rules and for scripts. What comes of them is always a head: a text that
 * cannot be a part of it, or that does not fit into a buffer, changes nothing. Fields that say
 * where a message ends (action_name_frames) stay as they are, and nobody is told: the length of a
 * body is what it is, and two recipients that disagree about it are a way to smuggle requests. */
#ifndef EXCHANGE_EDIT_H
#define EXCHANGE_EDIT_H

#include "base/result.h"
#include "base/str.h"

#include <stdbool.h>

struct arena;
struct message;
struct regex;
struct view;

/* Each returns false where the text does not fit, or there is no memory (arena->failed). */

/* One field more. Name (a token) and value stay as long as the message does. */
MUST_USE bool edit_add(struct message *msg, struct arena *arena, struct span name,
		       struct span value);
/* The same; those that have the name go, even where it returns false. */
MUST_USE bool edit_set(struct message *msg, struct arena *arena, struct span name,
		       struct span value);
/* All of the name go. */
void edit_delete(struct message *msg, struct span name);
/* Values of the name's fields that match are replaced: the whole value, or with `elements` each
 * element of a list with commas by itself. by: for regex_expand. False also where a search was
 * given up. */
MUST_USE bool edit_replace(struct message *msg, struct arena *arena, struct span name,
			   const struct regex *regex, struct span by, bool elements);

/* Parts of a request line. The text is copied; it has to be one word. A target that names a host
 * changes the field Host as well (RFC 9112 3.2.2). */
enum edit_part { EDIT_METHOD, EDIT_PATH, EDIT_PATHQ, EDIT_QUERY, EDIT_URI };
MUST_USE bool edit_request(enum edit_part part, struct view *view, struct span text);

#endif
