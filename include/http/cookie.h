/* SPDX-License-Identifier: BSD-2-Clause */
/* Cookies in Cookie and Set-Cookie fields (RFC 6265, as lenient as browsers need). Pure. */
#ifndef HTTP_COOKIE_H
#define HTTP_COOKIE_H

#include "base/str.h"

struct cookie {
	struct span name, value; /* value without the blanks around it, quotes kept */
	struct span whole;       /* from the name to the end of the value (Set-Cookie: with its
				  * attributes), without the delimiter */
};
/* One after the other of a Cookie value; at: 0 at first. False: no more. What has no "=" is stepped
 * over. */
bool cookie_next(struct span field, size_t *at, struct cookie *cookie);
/* The cookie of a Set-Cookie value. False: it has none. */
bool set_cookie_parse(struct span field, struct cookie *cookie);

/* A Cookie value out of which parts are taken, one behind the other, in one pass: written to memory
 * of field.len bytes. */
struct cookie_edit {
	struct span field;
	char *memory;
	size_t len;
	const char *done; /* of the field: up to here memory has what stays */
};
void cookie_edit_begin(struct cookie_edit *edit, struct span field, char *memory);
/* Bytes of the field, behind all that were taken out before. */
void cookie_edit_cut(struct cookie_edit *edit, const char *from, const char *to);
/* The same of a cookie, and of a delimiter that is too much then. */
void cookie_edit_remove(struct cookie_edit *edit, struct span whole);
/* The length of what is left, 0: nothing. */
size_t cookie_edit_end(struct cookie_edit *edit);

#endif
