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
/* The Cookie value without the cookie at `whole`: written to memory of field.len bytes; its length,
 * 0: nothing is left. */
size_t cookie_remove(struct span field, struct span whole, char *memory);

#endif
