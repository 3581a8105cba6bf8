/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of a request target, of hosts, and of query strings. Pure; RFC 3986, RFC 9112 3.2. */
#ifndef HTTP_URI_H
#define HTTP_URI_H

#include "base/str.h"

/* All of them spans of the target; ptr NULL: not there. */
struct uri {
	struct span scheme, authority; /* absolute-form and authority-form */
	struct span path;  /* "/a/b", "*" in asterisk-form; empty in authority-form */
	struct span query; /* behind "?", which is not in it */
};
/* False: the target is none of the four forms. */
bool uri_split(struct span target, struct uri *uri);
/* path with "?" and query, in one span of the target. */
struct span uri_path_and_query(struct span target);
/* The host without port, brackets kept; port 0: none given. False: malformed (RFC 3986 3.2.2). */
bool host_split(struct span authority, struct span *host, unsigned *port);
/* The value of a parameter in "a=1&b=2", as it is written; delimiter: '&' and ';' as the caller
 * says. False: it is not there. */
bool query_find(struct span query, struct span name, char delimiter, struct span *value);
/* %XX (and '+' when form) decoded in place; the new length; SIZE_MAX: malformed. */
size_t url_decode(char *text, size_t len, bool form);

#endif
